#include <stock/weight.hpp>

namespace stock {

int box_weight(int items) { return 300 + 20 * items; }

int pallet_weight(int boxes, int items) { return 15000 + boxes * box_weight(items); }

}  // namespace stock
