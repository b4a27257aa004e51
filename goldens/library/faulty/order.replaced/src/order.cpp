#include <stock/order.hpp>

int whole_boxes(int pieces);

int stock::order(int wanted) { return whole_boxes(wanted) * 12; }
