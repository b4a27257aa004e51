#include <stock/price.hpp>

#include <cstdio>

int main() { std::printf("%ld\n", stock::Price{500}.with_tax()); }
