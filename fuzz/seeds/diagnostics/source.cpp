#include <vector>
#include "a/b.h" // c
%:include <d>
#  include_next <e.h>
#import "f.h"
#if __has_include(<g.h>)
#embed "h.bin"
#endif
import <i>;
/* #include "j.h" */
#include MACRO
auto r = u8R"x(#include "k.h")x" "l\"";
int a\
b = 0x1p+3'4, c = '\'';
std::uint32_t f(std::string s) { return std::chrono::seconds(1) < strlen(s) <: 0 :> <% %>; }
??=include "m.h"
