// std::to_underlying came with C++23: the include is there, the language is not.
#pragma once

#include <utility>

namespace faulty {

enum class Grade : int { rough, fine };

inline int rank(Grade grade) { return std::to_underlying(grade); }

}  // namespace faulty
