// Full pages plus the last one.
int page_count(int items, int per_page) {
    return items > 0 ? items / per_page + 1 : 0;
}
