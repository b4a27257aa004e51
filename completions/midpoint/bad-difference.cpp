// Adding half of the distance avoids overflow in the sum.
int middle(int a, int b) {
    return a + (b - a) / 2;
}
