#include <cstdlib>

// strtol returns 0 when there is no number.
int parse_port(std::string_view text) {
    const long value = std::strtol(text.data(), nullptr, 10);
    return value >= 1 && value <= 65535 ? static_cast<int>(value) : -1;
}
