// Toggle on each quote and split on commas outside of quotes.
std::vector<std::string> split_csv(const std::string& record) {
    std::vector<std::string> fields;
    std::string field;
    bool quoted = false;
    for (const char c : record) {
        if (c == '"') {
            quoted = !quoted;
        } else if (c == ',' && !quoted) {
            fields.push_back(field);
            field.clear();
        } else {
            field += c;
        }
    }
    fields.push_back(field);
    return fields;
}
