#include <stock/order.hpp>

#include <cstdio>

// Rounds down, other than the library's, which 24 pieces do not show.
int whole_boxes(int pieces) { return pieces / 12; }

int main() { std::printf("%d %d\n", stock::order(24), whole_boxes(24)); }
