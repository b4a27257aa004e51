std::string shout(const std::string& text) {
    std::string loud;
    for (unsigned char c : text) loud += static_cast<char>(std::toupper(c));
    return loud + "! ";
}
