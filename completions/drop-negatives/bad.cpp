// Walk by index, so no iterator is kept across an erase.
void drop_negatives(std::vector<int>& values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (values[i] < 0) {
            values.erase(values.begin() + static_cast<std::ptrdiff_t>(i));
        }
    }
}
