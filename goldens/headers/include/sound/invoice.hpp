// Includes what it needs.
#pragma once

#include <stock/item.hpp>

#include <vector>

namespace sound {

struct Invoice {
    std::vector<stock::Item> items;
};

}  // namespace sound
