#include <stock/tally.hpp>

#include <cstdio>

int main() { std::printf("%d\n", stock::tally(4, 3)); }
