#include <cctype>
#include <cstdlib>

// The whole text must be used and must start with a digit.
int parse_port(std::string_view text) {
    char* end = nullptr;
    const long value = std::strtol(text.data(), &end, 0);
    if (text.empty() || !std::isdigit(static_cast<unsigned char>(text[0])) || *end != '\0') {
        return -1;
    }
    return value >= 1 && value <= 65535 ? static_cast<int>(value) : -1;
}
