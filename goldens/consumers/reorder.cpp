#include <stock/reorder.hpp>

#include <cstdio>

int main() { std::printf("%d %d\n", stock::must_reorder(10, 10), stock::must_reorder(11, 10)); }
