#include <stock/order.hpp>

#include <cstdio>

// Rounds down, other than the library's.
int whole_boxes(int pieces) { return pieces / 12; }

int main() { std::printf("%d %d\n", stock::order(30), whole_boxes(30)); }
