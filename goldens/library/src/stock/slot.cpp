#include <stock/slot.hpp>

int stock::next_free(const bool *taken, int slots) {
    int slot = 0;
    while (slot < slots && taken[slot]) ++slot;
    return slot;
}
