#include <cstdio>

#include "lines.h"

// Append each component to the result; ".." cuts the last one off again.
std::string normalize(const std::string& path) {
    std::string result;
    std::size_t at = 0;
    while (at < path.size()) {
        std::size_t end = path.find('/', at);
        if (end == std::string::npos) {
            end = path.size();
        }
        const std::string part = path.substr(at, end - at);
        at = end + 1;
        if (part.empty() || part == ".") {
            continue;
        }
        if (part == "..") {
            result.resize(result.rfind('/'));
        } else {
            result += '/';
            result += part;
        }
    }
    return result.empty() ? "/" : result;
}

int main() {
    std::string line;
    while (read_line(line)) {
        std::puts(normalize(line).c_str());
    }
}
