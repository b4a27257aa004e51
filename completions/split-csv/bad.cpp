// Cut at each comma; the rest after the last comma is a field too.
std::vector<std::string> split_csv(const std::string& record) {
    std::vector<std::string> fields;
    std::size_t start = 0;
    for (;;) {
        const std::size_t comma = record.find(',', start);
        if (comma == std::string::npos) {
            fields.push_back(record.substr(start));
            return fields;
        }
        fields.push_back(record.substr(start, comma - start));
        start = comma + 1;
    }
}
