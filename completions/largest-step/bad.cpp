#include <cstdlib>

// Compare each value with the next one.
int largest_step(const std::vector<int>& values) {
    int largest = 0;
    for (std::size_t i = 0; i < values.size() - 1; ++i) {
        const int step = std::abs(values[i + 1] - values[i]);
        if (step > largest) {
            largest = step;
        }
    }
    return largest;
}
