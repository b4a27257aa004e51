// Has a guard.
#ifndef SOUND_LIMITS_HPP
#define SOUND_LIMITS_HPP

namespace sound {

struct Limits {
    int boxes = 40;
};

}  // namespace sound

#endif
