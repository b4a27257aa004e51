// A name is mistyped, and no include declares it.
#pragma once

#include <string>

namespace faulty {

struct Address {
    std::strng street;
};

}  // namespace faulty
