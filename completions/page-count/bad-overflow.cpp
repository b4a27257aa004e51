// Round up by adding one less than the divisor.
int page_count(int items, int per_page) {
    return (items + per_page - 1) / per_page;
}
