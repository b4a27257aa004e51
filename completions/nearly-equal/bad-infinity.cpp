// Scale the relative tolerance by the larger magnitude.
bool nearly_equal(double a, double b) {
    const double difference = std::fabs(a - b);
    if (difference <= 1e-12) {
        return true;
    }
    return difference / std::fmax(std::fabs(a), std::fabs(b)) <= 1e-9;
}
