// Look for the next hit from the following character on.
void find_all(std::string_view text, std::string_view needle) {
    if (needle.empty()) {
        return;
    }
    for (std::size_t at = text.find(needle); at != std::string_view::npos; at = text.find(needle, at + 1)) {
        std::printf("%zu\n", at);
    }
}
