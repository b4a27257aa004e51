// Defines its export macro, unless the build does.
#pragma once

#ifndef STOCK_SOUND_API
#define STOCK_SOUND_API __attribute__((visibility("default")))
#endif

namespace sound {

class STOCK_SOUND_API Shelf {
public:
    void add(int boxes);
};

}  // namespace sound
