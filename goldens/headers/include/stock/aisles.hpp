// The aisles, one call a line. Meant to be included once, between a definition of AISLE and
// whatever is made of it, so it has no guard; alone it defines numbers.
#ifndef AISLE
#define AISLE(name, number) constexpr int aisle_##name = number;
#endif
AISLE(timber, 1)
AISLE(paint, 2)
AISLE(tools, 3)
#undef AISLE
