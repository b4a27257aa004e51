#include <cmath>

// nearbyint rounds ties to even in the default rounding mode.
long long round_half_even(long long n, long long d) {
    return static_cast<long long>(std::nearbyint(static_cast<double>(n) / static_cast<double>(d)));
}
