#include <stock/order.hpp>

namespace stock {

int whole_boxes(int pieces);

int order(int wanted) { return whole_boxes(wanted) * 12; }

}  // namespace stock
