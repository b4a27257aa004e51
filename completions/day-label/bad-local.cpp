// Two digits with a leading zero.
const char* day_label(int day) {
    char label[16];
    std::snprintf(label, sizeof label, "day-%c%c", '0' + day / 10, '0' + day % 10);
    return label;
}
