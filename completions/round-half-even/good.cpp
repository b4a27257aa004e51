// Work with the remainder so that nothing is rounded twice.
long long round_half_even(long long n, long long d) {
    const long long quotient = n / d;
    const long long rest = n % d;
    const long long size = rest < 0 ? -rest : rest;
    const long long step = n < 0 ? -1 : 1;
    if (size > d - size || (size == d - size && quotient % 2 != 0)) {
        return quotient + step;
    }
    return quotient;
}
