// Move the cut back while the first byte that is left out continues a code point.
std::string_view utf8_prefix(std::string_view text, std::size_t limit) {
    if (limit >= text.size()) {
        return text;
    }
    while (limit > 0 && (static_cast<unsigned char>(text[limit]) & 0xC0U) == 0x80U) {
        --limit;
    }
    return text.substr(0, limit);
}
