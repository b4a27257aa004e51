// Nothing converted means the input is over.
long sum_tokens(bool& clean) {
    long sum = 0;
    long value = 0;
    while (std::scanf("%ld", &value) > 0) {
        sum += value;
    }
    clean = std::ferror(stdin) == 0;
    return sum;
}
