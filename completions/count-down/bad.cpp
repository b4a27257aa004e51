// Both ends are included.
void count_down(unsigned from, unsigned to) {
    for (unsigned i = from; i >= to; --i) {
        std::printf("%u\n", i);
    }
}
