// Boxes for a number of pieces. What boxes_down() does hangs on a macro of the includer.
#pragma once

namespace stock {

#ifdef STOCK_ROUND_UP
inline int boxes_down(int pieces) { return (pieces + 11) / 12; }
#else
inline int boxes_down(int pieces) { return pieces / 12; }
#endif
inline int boxes_up(int pieces) { return (pieces + 11) / 12; }

int boxes_of_two_orders(int first, int second);

}  // namespace stock
