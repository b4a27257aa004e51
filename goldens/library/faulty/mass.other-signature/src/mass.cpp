#include <units/mass.hpp>

namespace units {

// The header promises an int.
long grams(long kilograms) { return kilograms * 1000; }

int grams_of_sacks(int sacks) { return sacks * static_cast<int>(grams(25L)); }

}  // namespace units
