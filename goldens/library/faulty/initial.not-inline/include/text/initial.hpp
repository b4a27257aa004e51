// The first letter of a word. Every unit that includes this defines the function.
#pragma once

namespace text {

char initial(const char *word) { return word[0]; }

}  // namespace text
