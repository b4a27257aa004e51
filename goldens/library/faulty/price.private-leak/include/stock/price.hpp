// A price in pence. It leans on a header that is not published.
#pragma once

#include <stock/detail/money.hpp>

namespace stock {

struct Price {
    long pence = 0;
    long with_tax() const { return pence + detail::tax(pence); }
};

}  // namespace stock
