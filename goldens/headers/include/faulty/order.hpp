// Needs stock/item.hpp.
#pragma once

namespace faulty {

struct Order {
    stock::Item item;
    bool urgent = false;
};

}  // namespace faulty
