#include <stock/alarm.hpp>

#include <cstdio>

class Bell : public stock::Alarm {
public:
    int ring(int shelf) const override { return 100 + shelf; }
};

int main() {
    std::printf("%d %d\n", stock::run_empty(stock::Alarm{}, 7), stock::run_empty(Bell{}, 7));
}
