#include <units/mass.hpp>

#include <cstdio>

int main() { std::printf("%d %d\n", units::grams(3), units::grams_of_sacks(2)); }
