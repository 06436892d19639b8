#include <fmt/format.h>

#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "sim/run/job_life.hpp"

namespace berth::sim {

using core::Members;
using core::Violation;

namespace {

/// Who runs holds a place for each of its members, and nobody else holds any.
std::optional<Violation> find_wrong_members(const JobState& state) {
    const JobRecord& record = state.record;
    Members running = 0;
    for (const Stint& stint : record.stints) {
        running += stint.finish ? 0 : stint.members;
    }
    const std::string where = fmt::format("job {}", record.job.name);
    const Members expected = state.runs() ? record.placed : 0;
    if (running != expected) {
        return Violation{"who runs holds a place for each member, and who does not holds none",
                         where,
                         fmt::format("{}", running),
                         fmt::format("{}", expected)};
    }
    if (state.runs() && (!record.start || running == 0)) {
        return Violation{"who runs has started", where, "no start, or no member", "both"};
    }
    if (state.waits() && record.start) {
        return Violation{"who waits has no start", where, "a start", "none"};
    }
    if (!state.runs() && state.stop) {
        return Violation{"only who runs is to stop", where, "a time to stop", "none"};
    }
    return std::nullopt;
}

}  // namespace

/// Those whose records are written have ended, and are in no table any more.
std::optional<Violation> JobLife::find_wrong_count() const {
    std::uint64_t waiting = 0;
    std::uint64_t running = 0;
    std::uint64_t suspended = 0;
    std::uint64_t ended = jobs_.arrivals() - jobs_.in_order().size();
    for (const JobId id : jobs_.in_order()) {
        const JobPhase phase = jobs_[id].phase;
        ++(phase == JobPhase::waiting     ? waiting
           : phase == JobPhase::running   ? running
           : phase == JobPhase::suspended ? suspended
                                          : ended);
    }
    constexpr const char* invariant = "the jobs in each state are counted, and are all that came";
    for (const auto& [state, found, expected] :
         {std::tuple("waiting", waiting_jobs_, waiting),
          std::tuple("running", running_jobs_, running),
          std::tuple("suspended", suspended_jobs_, suspended),
          std::tuple("ended", ended_jobs_, ended)}) {
        if (found != expected) {
            return Violation{
                invariant, state, fmt::format("{}", found), fmt::format("{}", expected)};
        }
    }
    return std::nullopt;
}

std::optional<Violation> JobLife::find_violation() const {
    if (auto violation = find_wrong_count()) {
        return violation;
    }
    std::vector<std::pair<JobId, const JobState*>> running;
    for (const JobId id : jobs_.in_order()) {
        if (auto violation = find_wrong_members(jobs_[id])) {
            return violation;
        }
        if (jobs_[id].runs()) {
            running.emplace_back(id, &jobs_[id]);
        }
    }
    return occupants_.find_violation(running);
}

}  // namespace berth::sim
