// Widen each byte before it is shifted.
std::uint64_t read_le32(const unsigned char* bytes) {
    std::uint64_t value = 0;
    for (int i = 3; i >= 0; --i) {
        value = value << 8 | bytes[i];
    }
    return value;
}
