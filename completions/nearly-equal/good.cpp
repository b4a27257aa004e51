// Equal first (infinities), then the larger of both tolerances.
bool nearly_equal(double a, double b) {
    if (a == b) {
        return true;
    }
    const double scale = std::fmax(std::fabs(a), std::fabs(b));
    return std::fabs(a - b) <= std::fmax(1e-12, 1e-9 * scale);
}
