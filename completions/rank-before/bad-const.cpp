// Scores in falling order, names in rising order.
bool before(Player& a, Player& b) {
    return a.score != b.score ? a.score > b.score : a.name < b.name;
}
