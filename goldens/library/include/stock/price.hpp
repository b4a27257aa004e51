// A price in pence.
#pragma once

namespace stock {

struct Price {
    long pence = 0;
    long with_tax() const { return pence + pence / 5; }
};

}  // namespace stock
