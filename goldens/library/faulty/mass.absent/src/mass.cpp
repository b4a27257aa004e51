#include <units/mass.hpp>

namespace units {

// grams() was forgotten.
int grams_of_sacks(int sacks) { return sacks * 25000; }

}  // namespace units
