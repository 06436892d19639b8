#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/index/fit_index.hpp"
#include "sim/profile/job_observer.hpp"
#include "sim/quota/quota_manager.hpp"

namespace berth::experiments {

/// The stage at which one attempt of a job failed.
enum class WhyStage : std::uint8_t {
    queue,      ///< A job before it finds no place, and the job may not overtake it.
    admission,  ///< The system that admits jobs has not admitted it.
    quota,      ///< The job's quota, or one above that, does not admit it.
    filter,     ///< No server has the amounts.
    devices,    ///< Servers have the amounts, but none has the devices or an allocation candidate.
    nodes,      ///< No server that may take it, by its selector or its application, lacks anything.
    drains,     ///< Servers have everything it needs, but would be drained before it ends.
    /// Some members of the group fit, but the cluster has too few places for all that it needs.
    members,
    level,   ///< There are enough places, but not as a hard constraint requires.
    placed,  ///< The attempt did not fail: the job starts.
};
[[nodiscard]] std::string_view to_string(WhyStage stage);

struct Finding {
    WhyStage stage = WhyStage::placed;
    std::string subject;  ///< The job before it, the quota, or the levels.
    std::string reason;   ///< One sentence.
};

/// How many pods of a job its quota admits; all if there is no quota.
[[nodiscard]] core::Members admitted(sim::QuotaManager* quotas,
                                     core::QuotaId quota,
                                     const sim::Job& job);

/// How many members fit below the nodes of a level, each node on its own.
struct LevelRoom {
    core::Level level;
    std::string constraint;       ///< Such as `pack, hard`; empty if none is stated.
    core::NodeId best;            ///< The node with room for the most members.
    core::Members fit = 0;        ///< How many members fit there, at most the group's size.
    std::uint32_t with_room = 0;  ///< How many nodes have room for at least one member.
};

/// Finds out why an attempt fails, by asking the scheduler and the quotas in their state at that
/// moment.
class Finder {
public:
    [[nodiscard]] Finding find_out(const sim::Turn& turn);
    /// The room at each level from the top, including servers. Cost: O(nodes).
    [[nodiscard]] std::vector<LevelRoom> rooms(const sim::Turn& turn);

private:
    [[nodiscard]] Finding of_group(const sim::Turn& turn,
                                   core::Members members,
                                   core::Members placed);
    [[nodiscard]] const core::FitIndex& fits(const sim::Turn& turn);
    [[nodiscard]] LevelRoom room(const sim::Turn& turn, core::Level level);

    std::unique_ptr<core::FitIndex> fits_;  ///< The fit index for the job that is asked about.
};

/// The levels with a hard constraint, from the top.
[[nodiscard]] std::vector<core::Level> hard_levels(const sim::Job& job);
/// The job with the constraints of these levels made soft.
[[nodiscard]] sim::Job softened(sim::Job job, const std::vector<core::Level>& levels);

}  // namespace berth::experiments
