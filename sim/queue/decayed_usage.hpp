#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "core/support/violation.hpp"
#include "core/tree/ids.hpp"
#include "sim/clock/time.hpp"

namespace berth::sim {

/// What owners of jobs have used of a cluster, halved with each half-life that has passed.
///
/// Units:  a job's use is the largest share that it takes of any of the cluster's resources, so
///         that having the whole cluster for a second is one second.
/// Cost:   O(log owners + resources) per change; integers only, so the results are the same on
///         every machine.
class DecayedUsage {
public:
    /// `capacity` is the cluster's capacity by resource; `half_life` is above 0.
    DecayedUsage(SimTime half_life, std::span<const core::Amount> capacity);

    /// `pods` more pods of an owner run from now on or, if negative, have stopped.
    void change(std::uint32_t owner,
                std::span<const core::Amount> demand,
                core::Members pods,
                SimTime now);
    /// The running pods of a job.
    struct Running {
        std::uint32_t owner = 0;
        std::span<const core::Amount> demand;
        core::Members pods = 0;
    };
    /// Compares the rate of each owner with that of all its running jobs.
    [[nodiscard]] std::optional<core::Violation> find_violation(std::span<const Running> all) const;
    /// Decayed usage of an owner, in nanoseconds of the whole cluster.
    [[nodiscard]] std::int64_t at(std::uint32_t owner, SimTime now);

private:
    __extension__ using Wide = __int128;
    struct Use {
        Wide used = 0;  ///< Usage at time `since`, in nanoseconds times 2^32.
        /// Amounts of running pods by resource; each pod counts for the resource of which it takes
        /// the largest share. Three pods of a sixth each are half of the cluster, like one pod of a
        /// half.
        std::vector<Wide> amounts;
        Wide rate = 0;  ///< Share of the cluster that the amounts take, times 2^32.
        SimTime since{};
    };
    void add(Use& use, std::span<const core::Amount> demand, core::Members pods) const;
    [[nodiscard]] Wide part_of(std::size_t resource, Wide amount) const;
    [[nodiscard]] std::optional<std::size_t> largest_part(
        std::span<const core::Amount> demand) const;
    void settle(Use& use, SimTime now) const;

    SimTime half_life_;
    std::vector<core::Amount> capacity_;
    std::map<std::uint32_t, Use> uses_;
};

}  // namespace berth::sim
