// Needs <string>.
#pragma once

namespace faulty {

struct Label {
    std::string text;
};

}  // namespace faulty
