// Nobody defines the export macro.
#pragma once

namespace faulty {

class STOCK_API Shelf {
public:
    void add(int boxes);
};

}  // namespace faulty
