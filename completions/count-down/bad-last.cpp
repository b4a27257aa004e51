// Count the steps first, so the counter itself never goes below zero.
void count_down(unsigned from, unsigned to) {
    for (unsigned i = from; i > to; --i) {
        std::printf("%u\n", i);
    }
}
