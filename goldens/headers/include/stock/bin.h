/* For C: C++ has no member of this name. */
#ifndef STOCK_BIN_H
#define STOCK_BIN_H

struct stock_bin {
    int class;
    int pieces;
};

int stock_bin_fill(struct stock_bin *bin, int pieces);

#endif
