// Lacks <string>, and includes a header that is nowhere: the second is the graver fault.
#pragma once

namespace faulty {

struct Currency {
    std::string name;
};

}  // namespace faulty

#include <stock/exchange/table.hpp>
