#include <cctype>
#include <iostream>
#include <string>

std::string shout(const std::string& text);

int main() {
    for (std::string line; std::getline(std::cin, line);) std::cout << shout(line) << "\n";
}
