// Is it time to order more?
#pragma once

namespace stock {

bool must_reorder(int left, int threshold);

}  // namespace stock
