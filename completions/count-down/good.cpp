// Leave the loop after printing the last number, before the counter can wrap.
void count_down(unsigned from, unsigned to) {
    if (from < to) {
        return;
    }
    for (unsigned i = from;; --i) {
        std::printf("%u\n", i);
        if (i == to) {
            return;
        }
    }
}
