// Who is told when a shelf runs empty.
#pragma once

namespace stock {

class Alarm {
public:
    virtual ~Alarm() = default;
    virtual int ring(int shelf) const;
};

int run_empty(const Alarm &alarm, int shelf);

}  // namespace stock
