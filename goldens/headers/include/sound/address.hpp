// Every name is right.
#pragma once

#include <string>

namespace sound {

struct Address {
    std::string street;
};

}  // namespace sound
