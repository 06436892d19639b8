#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "core/tree/topology.hpp"
#include "sim/job/records.hpp"

namespace berth::sim {

/// How often failures interrupted jobs of some sizes, and for how long these held places.
struct InterruptionsOfSize {
    bool in_gpus =
        false;  ///< The size of a job: the GPUs it asks for, begun ones too; or its pods.
    std::int64_t from = 0;
    std::int64_t to = 0;  ///< Included.
    std::uint64_t jobs = 0;
    std::uint64_t interruptions = 0;
    double running_s = 0;
    double size_running_s = 0;  ///< The same, where each job counts as often as it is large.
};

/// Sums up jobs by the power of two that their size is not above: 1, 2, 3 to 4, 5 to 8, ... Jobs
/// without GPUs in a cluster with GPUs have the size 0.
class InterruptionsBySize {
public:
    explicit InterruptionsBySize(const core::Topology& tree);
    /// A job whose record is complete, and that held places for so long.
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

    std::optional<std::size_t> gpu_;  ///< In the schema; nothing in a cluster without GPUs.
    core::Amount per_gpu_ = 1;
    std::map<std::int64_t, Sum> sums_;  ///< By the largest size.
};

}  // namespace berth::sim
