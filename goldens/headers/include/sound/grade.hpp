// The same in C++20.
#pragma once

namespace sound {

enum class Grade : int { rough, fine };

inline int rank(Grade grade) { return static_cast<int>(grade); }

}  // namespace sound
