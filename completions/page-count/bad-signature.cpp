#include <cstddef>

// Sizes are unsigned, so the parameters are too.
std::size_t page_count(std::size_t items, std::size_t per_page) {
    return items / per_page + (items % per_page != 0 ? 1 : 0);
}
