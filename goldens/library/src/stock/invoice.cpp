#include <stock/invoice.hpp>

#include "detail/money.hpp"

long stock::invoice(long pence) { return pence + detail::tax(pence); }
