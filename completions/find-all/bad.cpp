// Continue after the end of each hit.
void find_all(std::string_view text, std::string_view needle) {
    std::size_t at = 0;
    while ((at = text.find(needle, at)) != std::string_view::npos) {
        std::printf("%zu\n", at);
        at += needle.size();
    }
}
