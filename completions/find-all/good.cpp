// An empty needle would match at every offset without moving on.
void find_all(std::string_view text, std::string_view needle) {
    if (needle.empty()) {
        return;
    }
    std::size_t at = 0;
    while ((at = text.find(needle, at)) != std::string_view::npos) {
        std::printf("%zu\n", at);
        at += needle.size();
    }
}
