#include <stock/label.hpp>

#include <cstdio>

int main() { std::puts(stock::Label{"nails"}.framed().c_str()); }
