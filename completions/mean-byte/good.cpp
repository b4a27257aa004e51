// Sum in int: 1000 bytes need 18 bits.
std::uint8_t mean_byte(const std::uint8_t* bytes, int n) {
    int sum = 0;
    for (int i = 0; i < n; ++i) {
        sum += bytes[i];
    }
    return static_cast<std::uint8_t>(sum / n);
}
