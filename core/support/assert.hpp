#pragma once

namespace berth::core {

[[noreturn]] void assert_fail(const char* expression, const char* why, const char* file, int line);

}  // namespace berth::core

/// Fails because of a bug in berth, never because of bad input. It is on in every build: a wrong
/// table is worse than no table.
#define BERTH_ASSERT(expression, why) \
    ((expression) ? void(0)           \
                  : ::berth::core::assert_fail(#expression, (why), __FILE_NAME__, __LINE__))

/// Does the same for checks that cost more than O(1). It is on in the dev and asan presets.
#ifdef BERTH_AUDIT_ENABLED
#define BERTH_AUDIT(expression, why) BERTH_ASSERT(expression, why)
#else
#define BERTH_AUDIT(expression, why) void(sizeof((expression) ? 1 : 0))  // compiled, never run
#endif
