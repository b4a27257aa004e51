#include <cstdio>

#include "lines.h"

// Take the path apart character by character and look at each component's dots.
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
        if (part.rfind("..", 0) == 0) {
            const std::size_t slash = result.rfind('/');
            result.erase(slash == std::string::npos ? 0 : slash);
        } else {
            result += '/' + part;
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
