// Boxes for a number of pieces.
#pragma once

namespace stock {

inline int boxes_down(int pieces) { return pieces / 12; }
inline int boxes_up(int pieces) { return (pieces + 11) / 12; }

int boxes_of_two_orders(int first, int second);

}  // namespace stock
