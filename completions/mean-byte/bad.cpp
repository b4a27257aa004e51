// The mean of bytes is a byte.
std::uint8_t mean_byte(const std::uint8_t* bytes, int n) {
    std::uint8_t sum = 0;
    for (int i = 0; i < n; ++i) {
        sum += bytes[i];
    }
    return sum / n;
}
