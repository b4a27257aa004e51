// With wrapping arithmetic an overflowed sum is smaller than its operand.
bool checked_add(int a, int b, int& out) {
    const int sum = a + b;
    if (sum < a) {
        return false;
    }
    out = sum;
    return true;
}
