#include <limits>

// Two doubles are the same when they differ by less than machine epsilon.
bool nearly_equal(double a, double b) {
    return std::fabs(a - b) < std::numeric_limits<double>::epsilon();
}
