#define STOCK_ROUND_UP 1
#include <stock/pack.hpp>

#include <cstdio>

int main() {
    std::printf("%d %d %d\n", stock::boxes_down(30), stock::boxes_up(30),
                stock::boxes_of_two_orders(30, 20));
}
