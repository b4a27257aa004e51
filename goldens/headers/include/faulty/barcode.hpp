// Needs <cstdint>.
#pragma once

namespace faulty {

struct Barcode {
    uint32_t digits[3];
};

}  // namespace faulty
