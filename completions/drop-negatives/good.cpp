// C++20 erases by predicate and keeps the order.
void drop_negatives(std::vector<int>& values) {
    std::erase_if(values, [](int value) { return value < 0; });
}
