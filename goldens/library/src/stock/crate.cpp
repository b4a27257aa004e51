#include <stock/crate.hpp>

void stock::put(Crate &crate, long pieces) { crate.pieces = crate.total() + pieces; }
