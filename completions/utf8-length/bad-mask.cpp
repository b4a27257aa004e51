// Skip continuation bytes (10xxxxxx).
std::size_t utf8_length(std::string_view text) {
    std::size_t count = 0;
    for (unsigned char byte : text) {
        if (byte & 0xC0 != 0x80) {
            ++count;
        }
    }
    return count;
}
