// Bit 5 is the only difference between the two cases.
char upper(char c) {
    return static_cast<char>(c & ~0x20);
}
