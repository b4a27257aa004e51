// substr clamps the count to the size.
std::string_view utf8_prefix(std::string_view text, std::size_t limit) {
    return text.substr(0, limit);
}
