// Integer division already drops the fractional part.
int floor_div(int a, int b) {
    return a / b;
}
