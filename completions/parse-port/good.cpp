// Digits only; stop early so that the value cannot overflow.
int parse_port(std::string_view text) {
    int value = 0;
    for (const char c : text) {
        if (c < '0' || c > '9') {
            return -1;
        }
        value = value * 10 + (c - '0');
        if (value > 65535) {
            return -1;
        }
    }
    return value == 0 ? -1 : value;
}
