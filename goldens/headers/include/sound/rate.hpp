// Includes what it needs.
#pragma once

#include <string>

namespace sound {

struct Currency {
    std::string name;
};

}  // namespace sound
