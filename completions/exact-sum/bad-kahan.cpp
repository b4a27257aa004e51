// Kahan summation carries the rounding error of each step.
double exact_sum(const std::vector<double>& terms) {
    double sum = 0.0;
    double carry = 0.0;
    for (double term : terms) {
        const double corrected = term - carry;
        const double next = sum + corrected;
        carry = (next - sum) - corrected;
        sum = next;
    }
    return sum;
}
