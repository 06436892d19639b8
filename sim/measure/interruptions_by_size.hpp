#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "core/tree/topology.hpp"
#include "sim/job/records.hpp"

namespace berth::sim {

/// How often failures interrupted jobs in a range of sizes, and for how long these jobs held
/// places.
struct InterruptionsOfSize {
    /// Whether a job's size is the number of GPUs that it asks for, rounded up, or else that of its
    /// pods.
    bool in_gpus = false;
    std::int64_t from = 0;
    std::int64_t to = 0;  ///< Upper end of the range, inclusive.
    std::uint64_t jobs = 0;
    std::uint64_t interruptions = 0;
    double running_s = 0;
    double size_running_s = 0;  ///< The same, with each job counted as often as its size says.
};

/// Sums up jobs by the smallest power of two that is not below their size: 1, 2, 3 to 4, 5 to 8,
/// ... Jobs without GPUs in a cluster with GPUs have size 0.
class InterruptionsBySize {
public:
    explicit InterruptionsBySize(const core::Topology& tree);
    /// Takes in a job whose record is complete, and that held places for `ran`.
    void add(const JobRecord& record, SimTime ran);
    [[nodiscard]] std::vector<InterruptionsOfSize> result() const;

private:
    __extension__ using Wide = __int128;
    struct Sum {
        std::uint64_t jobs = 0;
        std::uint64_t interruptions = 0;
        Wide running = 0;
        Wide size_running = 0;
    };
    [[nodiscard]] std::int64_t size_of(const Job& job) const;

    std::optional<std::size_t> gpu_;  ///< Index in the schema; nothing in a cluster without GPUs.
    core::Amount per_gpu_ = 1;
    std::map<std::int64_t, Sum> sums_;  ///< Sums of each range of sizes, by its largest size.
};

}  // namespace berth::sim
