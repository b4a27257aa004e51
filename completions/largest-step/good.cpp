// Start at the second value and look back.
int largest_step(const std::vector<int>& values) {
    int largest = 0;
    for (std::size_t i = 1; i < values.size(); ++i) {
        const int step = values[i] < values[i - 1] ? values[i - 1] - values[i] : values[i] - values[i - 1];
        if (step > largest) {
            largest = step;
        }
    }
    return largest;
}
