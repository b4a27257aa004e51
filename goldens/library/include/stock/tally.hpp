// A running count.
#pragma once

namespace stock {

int tally(int before, int arrived);

}  // namespace stock
