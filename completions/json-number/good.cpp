#include <charconv>

// to_chars never looks at the locale and gives the shortest form.
std::string json_number(double value) {
    char buffer[64];
    const auto result = std::to_chars(buffer, buffer + sizeof buffer, value);
    return std::string(buffer, result.ptr);
}
