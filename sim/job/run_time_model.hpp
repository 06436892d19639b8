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
    /// One factor per level of the topology, for a job whose members meet at that level: in one
    /// server or above.
    std::vector<std::int64_t> by_level;
    std::int64_t shared_nic = 1000;  ///< Further factor if its pods share a NIC with another pod.
};
inline constexpr std::int64_t slow_down_unit = 1000;

/// The level of the lowest node that has all the servers below it; for a single server, the server
/// level.
[[nodiscard]] core::Level meeting_level(std::span<const core::PlacedNode> servers,
                                        const core::Topology& tree);

/// The factor of a job's run time, in thousandths; an unknown class counts as the first class.
[[nodiscard]] std::int64_t run_time_factor(std::span<const SlowDown> classes,
                                           std::string_view job_class,
                                           core::Level level,
                                           bool shares_nic);

/// How long `work` takes, to the nearest nanosecond; `never` if that does not fit into SimTime.
[[nodiscard]] SimTime run_time_of(SimTime work, std::int64_t factor);
/// How much work is done in `run_time`, rounded down, so that it is never more than there was.
[[nodiscard]] SimTime work_done_in(SimTime run_time, std::int64_t factor);

/// Counts the pods that use each NIC, where an allocator gives out NICs.
class NicUsers {
public:
    /// Adds the NICs of a pod. Returns whether any of them has another user now.
    bool add(core::ServerId server, std::span<const Grant> grants);
    void remove(core::ServerId server, std::span<const Grant> grants);

private:
    /// Number of users of each NIC, by server and NIC; never 0.
    std::map<std::pair<core::ServerId, std::size_t>, std::uint32_t> users_;
};

}  // namespace berth::sim
