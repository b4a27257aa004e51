// Includes what it needs.
#pragma once

#include <stock/item.hpp>

namespace sound {

struct Order {
    stock::Item item;
    bool urgent = false;
};

}  // namespace sound
