// A stranger who builds with -Wextra -Werror cannot include it.
#pragma once

namespace faulty {

inline int spare(int shelf) { return 0; }

}  // namespace faulty
