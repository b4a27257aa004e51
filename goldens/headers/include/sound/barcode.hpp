// Includes what it needs.
#pragma once

#include <cstdint>

namespace sound {

struct Barcode {
    std::uint32_t digits[3];
};

}  // namespace sound
