// Inches in another unit.
#pragma once

namespace units {

template <class Number> Number from_inches(Number inches);

extern template double from_inches<double>(double inches);

double from_feet(double feet);

}  // namespace units
