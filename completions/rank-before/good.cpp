// The name decides only between equal scores.
bool before(const Player& a, const Player& b) {
    if (a.score != b.score) {
        return a.score > b.score;
    }
    return a.name < b.name;
}
