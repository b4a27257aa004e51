// Half-open range [low, high): everything before low is smaller, nothing from high on is.
std::size_t first_at_least(std::size_t n, int x) {
    std::size_t low = 0;
    std::size_t high = n;
    while (low < high) {
        const std::size_t middle = low + (high - low) / 2;
        if (probe(middle) < x) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}
