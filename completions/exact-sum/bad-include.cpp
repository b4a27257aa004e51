// A wider accumulator keeps the small terms.
double exact_sum(const std::vector<double>& terms) {
    return static_cast<double>(std::accumulate(terms.begin(), terms.end(), 0.0L));
}
