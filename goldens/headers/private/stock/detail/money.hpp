// Private: it lies in no include folder.
#pragma once

namespace stock::detail {

inline long tax(long pence) { return pence / 5; }

}  // namespace stock::detail
