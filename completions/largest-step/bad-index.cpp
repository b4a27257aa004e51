#include <cstdlib>

// Compare each value with the one before it.
int largest_step(const std::vector<int>& values) {
    int largest = 0;
    for (int i = 1; i < values.size(); ++i) {
        const int step = std::abs(values[i] - values[i - 1]);
        if (step > largest) {
            largest = step;
        }
    }
    return largest;
}
