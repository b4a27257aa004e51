#include <units/convert.hpp>

#include <cstdio>

int main() { std::printf("%.2f %.2f\n", units::from_inches(10.0), units::from_feet(1.0)); }
