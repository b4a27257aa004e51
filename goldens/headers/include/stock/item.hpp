// One kind of thing on the shelves.
#pragma once

namespace stock {

struct Item {
    int pieces = 0;
    long pence = 0;
};

inline long value(const Item &item) { return item.pieces * item.pence; }

}  // namespace stock
