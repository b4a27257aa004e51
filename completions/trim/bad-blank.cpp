// Take everything from the first to the last character that is not blank.
std::string_view trim(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t");
    const std::size_t last = text.find_last_not_of(" \t");
    return text.substr(first, last - first + 1);
}
