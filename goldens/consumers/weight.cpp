#include <stock/weight.hpp>

#include <cstdio>

int main() { std::printf("%d %d\n", stock::box_weight(5), stock::pallet_weight(10, 5)); }
