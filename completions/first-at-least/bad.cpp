// Halve the range until it is empty.
std::size_t first_at_least(std::size_t n, int x) {
    std::size_t low = 0;
    std::size_t high = n;
    while (low < high) {
        const std::size_t middle = low + (high - low) / 2;
        if (probe(middle) < x) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}
