// Fine until someone makes one: then the destructor of Pages is wanted here.
#pragma once

#include <memory>

namespace faulty {

class Catalogue {
public:
    Catalogue();

private:
    struct Pages;
    std::unique_ptr<Pages> pages_;
};

}  // namespace faulty
