#include <stock/tally.hpp>

#include <cstdio>

int main() {
    int arrived = "three";
    std::printf("%d\n", stock::tally(4, arrived));
}
