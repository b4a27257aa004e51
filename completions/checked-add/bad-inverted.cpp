// The builtin stores the sum and tells whether it fits.
bool checked_add(int a, int b, int& out) {
    return __builtin_add_overflow(a, b, &out);
}
