// The sum of two ints always fits in 64 bits.
int middle(int a, int b) {
    return static_cast<int>((static_cast<long long>(a) + b) / 2);
}
