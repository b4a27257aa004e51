// scanf tells the two ways to stop apart: EOF or nothing converted.
long sum_tokens(bool& clean) {
    long sum = 0;
    long value = 0;
    int read = 0;
    while ((read = std::scanf("%ld", &value)) == 1) {
        sum += value;
    }
    clean = read == EOF;
    return sum;
}
