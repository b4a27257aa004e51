#define STOCK_SPARE 1
#include <stock/crate.hpp>

#include <cstdio>

int main() {
    stock::Crate crate;
    crate.spare = 3;
    crate.pieces = 5;
    stock::put(crate, 2);
    std::printf("%ld %ld\n", crate.spare, crate.total());
}
