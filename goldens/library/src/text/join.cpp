#include <string>
#include <vector>

#include <text/join.hpp>

std::string text::join(const std::vector<std::string> &words, char separator) {
    std::string line;
    for (const std::string &word : words) {
        if (&word != &words.front()) line += separator;
        line += word;
    }
    return line;
}
