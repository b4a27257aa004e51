// How many pieces to order.
#pragma once

namespace stock {

int order(int wanted);

}  // namespace stock
