#include <stock/slot.hpp>

#include <cstdio>

int main() {
    const bool taken[] = {true, true, false};
    std::printf("%d\n", stock::next_free(taken, 3));
}
