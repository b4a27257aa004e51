// One static slot a day, so labels do not share storage.
const char* day_label(int day) {
    static char labels[32][8];
    char* label = labels[day];
    std::snprintf(label, 8, "day-%c%c", '0' + day / 10, '0' + day % 10);
    return label;
}
