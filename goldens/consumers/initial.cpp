#include <text/initial.hpp>

#include <cstdio>

int main() { std::printf("%c\n", text::initial("oak")); }
