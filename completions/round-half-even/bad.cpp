// Add half of the divisor before dividing.
long long round_half_even(long long n, long long d) {
    const long long half = d / 2;
    return n < 0 ? (n - half) / d : (n + half) / d;
}
