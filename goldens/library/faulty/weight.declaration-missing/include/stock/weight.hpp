// Weights of boxes in grams. The second function is not declared.
#pragma once

namespace stock {

int box_weight(int items);

}  // namespace stock
