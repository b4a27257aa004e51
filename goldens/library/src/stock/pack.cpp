#include <stock/pack.hpp>

namespace stock {

int boxes_of_two_orders(int first, int second) { return boxes_down(first) + boxes_down(second); }

}  // namespace stock
