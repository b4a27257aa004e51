#include <string>

// Convert, then check that all of the text was used and the range is right.
int parse_port(std::string_view text) {
    std::size_t used = 0;
    const int value = std::stoi(std::string(text), &used);
    if (used != text.size() || value < 1 || value > 65535) {
        return -1;
    }
    return value;
}
