// A static buffer outlives the call.
const char* day_label(int day) {
    static char label[16];
    std::snprintf(label, sizeof label, "day-%c%c", '0' + day / 10, '0' + day % 10);
    return label;
}
