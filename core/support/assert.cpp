#include "core/support/assert.hpp"

#include <cstdio>
#include <cstdlib>

namespace berth::core {

void assert_fail(const char* expression, const char* why, const char* file, int line) {
    std::fprintf(stderr, "%s:%d: berth is broken: %s (%s)\n", file, line, why, expression);
    std::abort();
}

}  // namespace berth::core
