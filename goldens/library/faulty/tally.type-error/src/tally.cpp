#include <stock/tally.hpp>

int stock::tally(int before, int arrived) {
    int *sum = before + arrived;
    return *sum;
}
