#include <climits>

// Ask about the room that is left before adding.
bool checked_add(int a, int b, int& out) {
    if (b > 0 ? a > INT_MAX - b : a < INT_MIN - b) {
        return false;
    }
    out = a + b;
    return true;
}
