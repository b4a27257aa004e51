// Includes what it needs.
#pragma once

#include <string>

namespace sound {

struct Label {
    std::string text;
};

}  // namespace sound
