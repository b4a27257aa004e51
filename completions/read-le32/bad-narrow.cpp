// Shift the bytes in, last one first.
std::uint64_t read_le32(const unsigned char* bytes) {
    int value = 0;
    for (int i = 3; i >= 0; --i) {
        value = (value << 8) + bytes[i];
    }
    return static_cast<std::uint64_t>(value);
}
