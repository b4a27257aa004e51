#include <stock/tally.hpp>

#include <cstdio>

// A stranger who declares what the header should: that hides a header that does not.
namespace stock {
int tally(int before, int arrived);
}

int main() { std::printf("%d\n", stock::tally(4, 3)); }
