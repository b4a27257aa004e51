// A bin takes so many pieces and no more.
#pragma once

namespace stock {

struct Bin {
    // Declared, and defined nowhere: whoever takes its address needs a definition.
    static const int capacity = 40;
};

int filled(int pieces);

}  // namespace stock
