#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/index/fit_index.hpp"
#include "sim/profile/job_observer.hpp"
#include "sim/quota/quota_manager.hpp"

namespace berth::experiments {

/// How far a job came at one attempt: the stage that it did not pass.
enum class WhyStage : std::uint8_t {
    queue,      ///< A job before it finds no place, and it may not overtake.
    admission,  ///< The system that admits jobs has not admitted it.
    quota,      ///< Its quota, or one above, does not admit it.
    filter,     ///< No server has the amounts.
    devices,    ///< Servers have the amounts, and none the devices or the allocation candidate.
    drains,     ///< Servers have all that it needs, and would be drained before it ends.
    members,    ///< Members of the group fit, but the cluster has too few places for them.
    level,      ///< There are enough places, but not as a hard constraint wants them.
    placed,     ///< None: it starts.
};
[[nodiscard]] std::string_view to_string(WhyStage stage);

struct Finding {
    WhyStage stage = WhyStage::placed;
    std::string subject;  ///< The job before it, the quota, or the levels.
    std::string reason;   ///< One sentence.
};

/// How many pods of a job its quota admits; all where there is none.
[[nodiscard]] core::Members admitted(sim::QuotaManager* quotas,
                                     core::QuotaId quota,
                                     const sim::Job& job);

/// Members that fit below a level's nodes, each node for itself.
struct LevelRoom {
    core::Level level;
    std::string constraint;       ///< `pack, hard`; empty where none is stated.
    core::NodeId best;            ///< With the most of them.
    core::Members fit = 0;        ///< There, at most the group's size.
    std::uint32_t with_room = 0;  ///< Nodes with room for one at least.
};

/// Finds out, by asking the scheduler and the quotas as they are at that moment.
class Finder {
public:
    [[nodiscard]] Finding find_out(const sim::Turn& turn);
    /// By level from the top, the servers' included. Cost: O(nodes).
    [[nodiscard]] std::vector<LevelRoom> rooms(const sim::Turn& turn);

private:
    [[nodiscard]] Finding of_group(const sim::Turn& turn,
                                   core::Members members,
                                   core::Members placed);
    [[nodiscard]] const core::FitIndex& fits(const sim::Turn& turn);
    [[nodiscard]] LevelRoom room(const sim::Turn& turn, core::Level level);

    std::unique_ptr<core::FitIndex> fits_;  ///< Of the one job that is asked about.
};

/// The levels whose constraint is hard, from the top.
[[nodiscard]] std::vector<core::Level> hard_levels(const sim::Job& job);
/// The job with the constraints of these levels soft.
[[nodiscard]] sim::Job softened(sim::Job job, const std::vector<core::Level>& levels);

}  // namespace berth::experiments
