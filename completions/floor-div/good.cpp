// Truncate, then step down when signs differ and something was cut off.
int floor_div(int a, int b) {
    const int quotient = a / b;
    const int rest = a % b;
    if (rest != 0 && (rest < 0) != (b < 0)) {
        return quotient - 1;
    }
    return quotient;
}
