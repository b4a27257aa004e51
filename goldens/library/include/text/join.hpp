// Words with a separator between them.
#pragma once

#include <string>
#include <vector>

namespace text {

std::string join(const std::vector<std::string> &words, char separator);

}  // namespace text
