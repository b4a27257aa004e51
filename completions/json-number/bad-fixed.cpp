// to_string does not group digits.
std::string json_number(double value) {
    return std::to_string(value);
}
