#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/meter/metric.hpp"

namespace berth::sim {

/// What tells kinds of jobs apart.
enum class JobTrait : std::uint8_t {
    quota,
    user,
    job_class,
    size,  ///< How many GPUs it asks for; in a cluster without GPUs, how many pods it has.
};
inline constexpr std::size_t job_trait_count = 4;
[[nodiscard]] std::string_view to_string(JobTrait trait);

/// The jobs of one run that are alike in one trait.
struct JobKind {
    JobTrait trait = JobTrait::quota;
    std::string label;  ///< The quota's name, say; empty: these jobs have none.
    std::uint64_t jobs = 0;
    std::vector<Metric> metrics;  ///< The same names for every kind.
};

}  // namespace berth::sim
