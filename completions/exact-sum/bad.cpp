// Accumulate from left to right.
double exact_sum(const std::vector<double>& terms) {
    double sum = 0.0;
    for (double term : terms) {
        sum += term;
    }
    return sum;
}
