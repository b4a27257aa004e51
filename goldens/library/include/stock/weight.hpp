// Weights of boxes in grams.
#pragma once

namespace stock {

int box_weight(int items);
int pallet_weight(int boxes, int items);

}  // namespace stock
