// The destructor stands where Pages is known.
#pragma once

#include <memory>

namespace sound {

class Catalogue {
public:
    Catalogue();
    ~Catalogue();

private:
    struct Pages;
    std::unique_ptr<Pages> pages_;
};

}  // namespace sound
