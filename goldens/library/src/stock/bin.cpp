#include <stock/bin.hpp>

int stock::filled(int pieces) { return pieces < Bin::capacity ? pieces : int(Bin::capacity); }
