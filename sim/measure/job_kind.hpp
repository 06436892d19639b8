#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/meter/metric.hpp"

namespace berth::sim {

/// The traits that distinguish kinds of jobs.
enum class JobTrait : std::uint8_t {
    quota,
    user,
    job_class,
    size,  ///< How many GPUs the job asks for; in a cluster without GPUs, how many pods it has.
};
inline constexpr std::size_t job_trait_count = 4;
[[nodiscard]] std::string_view to_string(JobTrait trait);

/// The jobs of one run that are equal in one trait.
struct JobKind {
    JobTrait trait = JobTrait::quota;
    std::string label;  ///< For example, the quota's name; empty: these jobs have none.
    std::uint64_t jobs = 0;
    std::vector<Metric> metrics;  ///< The same names for every kind.
};

}  // namespace berth::sim
