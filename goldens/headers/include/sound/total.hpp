// It fits.
#pragma once

namespace sound {

template <class Box> int pieces_in(const Box &box) { return box; }

inline int pieces_in_two(int first, int second) { return pieces_in(first) + pieces_in(second); }

}  // namespace sound
