#include <units/mass.hpp>

namespace units {

int grams(int kilograms) { return kilograms * 1000; }

int grams_of_sacks(int sacks) { return sacks * grams(25); }

}  // namespace units
