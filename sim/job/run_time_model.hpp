#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/tree/logical_tree.hpp"
#include "core/tree/topology.hpp"
#include "sim/clock/time.hpp"
#include "sim/job/grant.hpp"

namespace berth::sim {

/// How much longer jobs of one class run than their work takes.
///
/// Units: thousandths, at least slow_down_unit.
struct SlowDown {
    std::string job_class;
    /// By level of the topology: for a job whose members meet at that level, in one server or
    /// above.
    std::vector<std::int64_t> by_level;
    std::int64_t shared_nic = 1000;  ///< Multiplies it if its pods share a NIC with another pod.
};
inline constexpr std::int64_t slow_down_unit = 1000;

/// The level of the lowest node that has all the servers below it; of a single server, its own
/// level.
[[nodiscard]] core::Level meeting_level(std::span<const core::PlacedNode> servers,
                                        const core::Topology& tree);

/// The factor of a job's run time, in thousandths; an unknown class counts as the first.
[[nodiscard]] std::int64_t run_time_factor(std::span<const SlowDown> classes,
                                           std::string_view job_class,
                                           core::Level level,
                                           bool shares_nic);

/// How long it takes to do `work`, to the nearest nanosecond; `never` if it takes longer than that.
[[nodiscard]] SimTime run_time_of(SimTime work, std::int64_t factor);
/// How much work is done in `run_time`, rounded down, so that it is never more than there was.
[[nodiscard]] SimTime work_done_in(SimTime run_time, std::int64_t factor);

/// Counts the pods that have each NIC, where an allocator gives NICs out.
class NicUsers {
public:
    /// Returns whether any of the NICs has another user now.
    bool add(core::ServerId server, std::span<const Grant> grants);
    void remove(core::ServerId server, std::span<const Grant> grants);

private:
    std::map<std::pair<core::ServerId, std::size_t>, std::uint32_t> users_;  ///< Not 0.
};

}  // namespace berth::sim
