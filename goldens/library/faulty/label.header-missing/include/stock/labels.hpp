// What is printed on a box. The file should be called label.hpp.
#pragma once

#include <string>

namespace stock {

struct Label {
    std::string text;
    std::string framed() const { return "[" + text + "]"; }
};

}  // namespace stock
