// Includes a header that is not published.
#pragma once

#include <stock/detail/money.hpp>

namespace faulty {

inline long with_tax(long pence) { return pence + stock::detail::tax(pence); }

}  // namespace faulty
