// What is printed on a box.
#pragma once

#include <string>

namespace stock {

struct Label {
    std::string text;
    std::string framed() const { return "[" + text + "]"; }
};

}  // namespace stock
