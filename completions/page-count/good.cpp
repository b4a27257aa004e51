// One more page for a remainder.
int page_count(int items, int per_page) {
    return items / per_page + (items % per_page != 0 ? 1 : 0);
}
