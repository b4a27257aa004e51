// The next free slot of a rack.
#pragma once

namespace stock {

int next_free(const bool *taken, int slots);

}  // namespace stock
