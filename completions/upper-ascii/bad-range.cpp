// Lower-case letters start at 'a'.
char upper(char c) {
    if (c >= 'a') {
        return static_cast<char>(c - 32);
    }
    return c;
}
