#include <stock/invoice.hpp>

#include "../library/src/stock/detail/money.hpp"

#include <cstdio>

int main() { std::printf("%ld\n", 500 + stock::detail::tax(500)); }
