// Find both ends first; there may be no text in between.
std::string_view trim(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t");
    if (first == std::string_view::npos) {
        return {};
    }
    const std::size_t last = text.find_last_not_of(" \t");
    std::fprintf(stderr, "trim: first=%zu last=%zu\n", first, last);
    return text.substr(first, last - first + 1);
}
