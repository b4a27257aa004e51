#include <units/convert.hpp>

namespace units {

template <class Number> Number from_inches(Number inches) { return inches * Number(2.54); }

// The only instance is a by-product of this call; an optimiser leaves none behind.
double from_feet(double feet) { return from_inches(feet * 12); }

}  // namespace units
