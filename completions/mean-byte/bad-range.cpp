// Range-based loop over the bytes.
std::uint8_t mean_byte(const std::uint8_t* bytes, int n) {
    int sum = 0;
    for (std::uint8_t byte : bytes) {
        sum += byte;
    }
    return static_cast<std::uint8_t>(sum / n);
}
