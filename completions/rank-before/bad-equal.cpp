// Compare scores, and names when the scores are the same.
bool before(const Player& a, const Player& b) {
    if (a.score == b.score) {
        return a.name <= b.name;
    }
    return a.score > b.score;
}
