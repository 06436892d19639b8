#pragma once

namespace berth::core {

[[noreturn]] void assert_fail(const char* expression, const char* why, const char* file, int line);

}  // namespace berth::core

/// Fails for a bug in berth, never for bad input. On in every build: a wrong table is worse than no
/// table.
#define BERTH_ASSERT(expression, why) \
    ((expression) ? void(0)           \
                  : ::berth::core::assert_fail(#expression, (why), __FILE_NAME__, __LINE__))

/// The same for checks that cost more than O(1); on in the dev and asan presets.
#ifdef BERTH_AUDIT_ENABLED
#define BERTH_AUDIT(expression, why) BERTH_ASSERT(expression, why)
#else
#define BERTH_AUDIT(expression, why) void(sizeof((expression) ? 1 : 0))  // compiled, never run
#endif
