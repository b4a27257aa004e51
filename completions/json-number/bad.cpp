#include <sstream>

// 17 digits are enough to read the same value back.
std::string json_number(double value) {
    std::ostringstream out;
    out.precision(17);
    out << value;
    return out.str();
}
