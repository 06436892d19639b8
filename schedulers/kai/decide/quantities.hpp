#pragma once

#include <array>
#include <cstddef>

// Amounts as KAI computes with them: IEEE doubles, compared exactly.

namespace berth::core::kai {

/// What queues share: milli-CPU, bytes of memory, GPUs.
using Amounts = std::array<double, 3>;
/// What pods ask of nodes: milli-CPU, bytes of memory, GPUs, and one pod.
using Vector = std::array<double, 4>;

inline constexpr std::size_t cpu = 0;
inline constexpr std::size_t gpu = 2;
inline constexpr std::size_t resource_count = 3;

/// As a quota, a limit or a fair share.
inline constexpr double unlimited = -1;

/// Whether a <= b, where unlimited is above all numbers.
[[nodiscard]] inline bool at_most(double a, double b) {
    if (a == unlimited || b == unlimited) {
        return b == unlimited;
    }
    return a <= b;
}

[[nodiscard]] inline bool at_most(const Amounts& a, const Amounts& b) {
    return at_most(a[0], b[0]) && at_most(a[1], b[1]) && at_most(a[2], b[2]);
}

[[nodiscard]] inline Amounts plus(const Amounts& a, const Amounts& b) {
    return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}

[[nodiscard]] inline Amounts minus(const Amounts& a, const Amounts& b) {
    return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}

/// Whether a <= b in each dimension; nothing is unlimited here.
[[nodiscard]] inline bool fits_in(const Vector& a, const Vector& b) {
    return a[0] <= b[0] && a[1] <= b[1] && a[2] <= b[2] && a[3] <= b[3];
}

inline void add_to(Vector& sum, const Vector& amounts) {
    for (std::size_t i = 0; i < sum.size(); ++i) {
        sum[i] += amounts[i];
    }
}

inline void take_from(Vector& sum, const Vector& amounts) {
    for (std::size_t i = 0; i < sum.size(); ++i) {
        sum[i] -= amounts[i];
    }
}

/// The part of a pod's request for which its queue is charged.
[[nodiscard]] inline Amounts charged(const Vector& request) {
    return {request[0], request[1], request[2]};
}

}  // namespace berth::core::kai
