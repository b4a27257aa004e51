// The first letter of a word.
#pragma once

namespace text {

inline char initial(const char *word) { return word[0]; }

}  // namespace text
