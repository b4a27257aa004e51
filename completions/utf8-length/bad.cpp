// string_view knows its own length.
std::size_t utf8_length(std::string_view text) {
    return text.size();
}
