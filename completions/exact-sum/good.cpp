#include <cmath>

// Neumaier: collect what each addition loses, whichever operand it came from.
double exact_sum(const std::vector<double>& terms) {
    double sum = 0.0;
    double lost = 0.0;
    for (double term : terms) {
        const double next = sum + term;
        if (std::fabs(sum) >= std::fabs(term)) {
            lost += (sum - next) + term;
        } else {
            lost += (term - next) + sum;
        }
        sum = next;
    }
    return sum + lost;
}
