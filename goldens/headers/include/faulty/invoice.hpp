// Needs <vector> and stock/item.hpp: neither alone repairs it.
#pragma once

namespace faulty {

struct Invoice {
    std::vector<stock::Item> items;
};

}  // namespace faulty
