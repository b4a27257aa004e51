// Cut, then drop the bytes of a code point that was split.
std::string_view utf8_prefix(std::string_view text, std::size_t limit) {
    std::string_view prefix = text.substr(0, limit);
    while (!prefix.empty() && (static_cast<unsigned char>(prefix.back()) & 0x80U) != 0) {
        prefix.remove_suffix(1);
    }
    return prefix;
}
