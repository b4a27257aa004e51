// Needs nothing that is not published.
#pragma once

namespace sound {

inline long with_tax(long pence) { return pence + pence / 5; }

}  // namespace sound
