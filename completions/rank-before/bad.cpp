// Higher score first, then the name.
bool before(const Player& a, const Player& b) {
    return a.score > b.score || a.name < b.name;
}
