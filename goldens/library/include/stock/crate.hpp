// A crate and what lies in it.
#pragma once

namespace stock {

struct Crate {
    long spare = 0;
    long pieces = 0;
    long total() const { return pieces; }
};

void put(Crate &crate, long pieces);

}  // namespace stock
