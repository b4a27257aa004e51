#include <text/join.hpp>

#include <cstdio>

int main() { std::puts(text::join({"oak", "ash", "elm"}, '-').c_str()); }
