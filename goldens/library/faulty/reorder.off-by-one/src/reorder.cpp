#include <stock/reorder.hpp>

bool stock::must_reorder(int left, int threshold) { return left < threshold; }
