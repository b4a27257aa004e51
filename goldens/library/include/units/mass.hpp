// Masses: the library counts in grams.
#pragma once

namespace units {

int grams(int kilograms);
int grams_of_sacks(int sacks);

}  // namespace units
