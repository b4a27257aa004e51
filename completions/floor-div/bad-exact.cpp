// Truncation rounds up when the signs differ, so step down in that case.
int floor_div(int a, int b) {
    const bool negative = (a < 0) != (b < 0);
    return negative ? a / b - 1 : a / b;
}
