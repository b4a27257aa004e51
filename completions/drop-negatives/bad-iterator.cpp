// Erase each negative element as it is met.
void drop_negatives(std::vector<int>& values) {
    for (auto it = values.begin(); it != values.end(); ++it) {
        if (*it < 0) {
            values.erase(it);
        }
    }
}
