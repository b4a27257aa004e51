// A crate and what lies in it. How long one is hangs on a macro of the includer.
#pragma once

namespace stock {

struct Crate {
#ifdef STOCK_SPARE
    long spare = 0;
#endif
    long pieces = 0;
    long total() const { return pieces; }
};

void put(Crate &crate, long pieces);

}  // namespace stock
