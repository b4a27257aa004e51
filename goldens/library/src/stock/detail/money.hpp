// Private: only the library's own sources may include it.
#pragma once

namespace stock::detail {

inline long tax(long pence) { return pence / 5; }

}  // namespace stock::detail
