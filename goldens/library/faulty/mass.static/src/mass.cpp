namespace units {

// Nobody outside this file can call it.
static int grams(int kilograms) { return kilograms * 1000; }

int grams_of_sacks(int sacks) { return sacks * grams(25); }

}  // namespace units
