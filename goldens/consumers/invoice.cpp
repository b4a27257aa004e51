#include <stock/invoice.hpp>

#include <cstdio>

int main() { std::printf("%ld\n", stock::invoice(500)); }
