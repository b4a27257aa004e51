// Drop blanks from both ends.
std::string_view trim(std::string_view text) {
    constexpr std::string_view blanks = " \t";
    while (!text.empty() && blanks.contains(text.front())) {
        text.remove_prefix(1);
    }
    while (!text.empty() && blanks.contains(text.back())) {
        text.remove_suffix(1);
    }
    return text;
}
