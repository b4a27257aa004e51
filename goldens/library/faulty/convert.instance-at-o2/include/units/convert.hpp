// Inches in another unit.
#pragma once

namespace units {

template <class Number> Number from_inches(Number inches);

double from_feet(double feet);

}  // namespace units
