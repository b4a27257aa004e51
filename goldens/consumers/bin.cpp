#include <stock/bin.hpp>

#include <algorithm>
#include <cstdio>

int main() { std::printf("%d %d\n", std::min(55, stock::Bin::capacity), stock::filled(12)); }
