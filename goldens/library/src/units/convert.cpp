#include <units/convert.hpp>

namespace units {

template <class Number> Number from_inches(Number inches) { return inches * Number(2.54); }

template double from_inches<double>(double inches);

double from_feet(double feet) { return from_inches(feet * 12); }

}  // namespace units
