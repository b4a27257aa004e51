// Read until the end of the input and skip what is not a number.
long sum_tokens(bool& clean) {
    long sum = 0;
    while (!std::feof(stdin)) {
        long value = 0;
        if (std::scanf("%ld", &value) == 1) {
            sum += value;
        } else {
            clean = false;
        }
    }
    return sum;
}
