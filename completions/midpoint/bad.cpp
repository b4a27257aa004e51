// Average of both ends.
int middle(int a, int b) {
    return (a + b) / 2;
}
