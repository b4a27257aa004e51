// Words with a separator between them. It leans on whoever includes it.
#pragma once

namespace text {

std::string join(const std::vector<std::string> &words, char separator);

}  // namespace text
