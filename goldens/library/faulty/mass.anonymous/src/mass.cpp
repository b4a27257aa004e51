namespace units {

// Nobody outside this file can call it.
namespace {
int grams(int kilograms) { return kilograms * 1000; }
}  // namespace

int grams_of_sacks(int sacks) { return sacks * grams(25); }

}  // namespace units
