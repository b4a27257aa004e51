// The body of the template does not fit what it is used for.
#pragma once

namespace faulty {

template <class Box> int pieces_in(const Box &box) { return box.pieces(); }

inline int pieces_in_two(int first, int second) { return pieces_in(first) + pieces_in(second); }

}  // namespace faulty
