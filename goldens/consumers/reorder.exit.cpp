#include <stock/reorder.hpp>

int main() { return stock::must_reorder(10, 10) ? 3 : 4; }
