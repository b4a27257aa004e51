// A bin takes so many pieces and no more.
#pragma once

namespace stock {

struct Bin {
    static constexpr int capacity = 40;
};

int filled(int pieces);

}  // namespace stock
