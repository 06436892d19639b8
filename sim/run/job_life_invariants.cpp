#include <fmt/format.h>

#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "sim/backfill/expected_run.hpp"
#include "sim/run/job_life.hpp"

namespace berth::sim {

using core::Members;
using core::Violation;

namespace {

/// Checks that a running job holds a place for each of its members, and no other job holds any.
std::optional<Violation> find_wrong_members(const JobState& state) {
    const JobRecord& record = state.record;
    Members running = 0;
    for (const Stint& stint : record.stints) {
        running += stint.finish ? 0 : stint.members;
    }
    const std::string where = fmt::format("job {}", record.job.name);
    const Members expected = state.runs() ? record.placed : 0;
    if (running != expected) {
        return Violation{"a running job holds a place for each member, and no other job holds any",
                         where,
                         fmt::format("{}", running),
                         fmt::format("{}", expected)};
    }
    if (state.runs() && (!record.start || running == 0)) {
        return Violation{"a running job has started", where, "no start, or no member", "both"};
    }
    if (state.waits() && record.start) {
        return Violation{"a waiting job has no start", where, "a start", "none"};
    }
    if (!state.runs() && state.stop) {
        return Violation{"only a running job is to stop", where, "a time to stop", "none"};
    }
    return std::nullopt;
}

/// Checks that each second of work is either kept or left, and that only a job that writes
/// checkpoints has to restart.
std::optional<Violation> find_wrong_work(const JobState& state) {
    const JobRecord& record = state.record;
    const std::string where = fmt::format("job {}", record.job.name);
    const SimTime all = record.job.duration.value_or(record.kept);
    const SimTime told = record.kept + state.left.value_or(SimTime(0));
    if (told != all) {
        return Violation{"what a job has kept of its work and what is left is all of it",
                         where,
                         format_seconds(told),
                         format_seconds(all)};
    }
    if (state.waits() && record.job.expected != expected_run(state)) {
        return Violation{
            "a waiting job is expected to run for as long as what is left of its work takes",
            where,
            format_seconds(record.job.expected),
            format_seconds(expected_run(state))};
    }
    const auto& checkpoint = record.job.checkpoint;
    const SimTime most = checkpoint ? checkpoint->restart : SimTime(0);
    if (record.job.training) {
        return std::nullopt;  // its scheduler says how long it is launched
    }
    if (state.restart < SimTime(0) || state.restart > most) {
        return Violation{"a job restarts for no longer than its checkpoint says",
                         where,
                         format_seconds(state.restart),
                         format_seconds(most)};
    }
    if (!checkpoint && record.writing + record.restarting > SimTime(0)) {
        return Violation{"only a job with a checkpoint writes and restarts",
                         where,
                         format_seconds(record.writing + record.restarting),
                         "0"};
    }
    return std::nullopt;
}

}  // namespace

/// Checks that no job works for longer than its work, its writes and its restart take.
std::optional<Violation> JobLife::find_overdue(const JobState& state) const {
    if (!state.working_since || state.hung_since) {
        return std::nullopt;
    }
    const SimTime most = run_time_left(state);
    if (now_ - *state.working_since > most) {
        return Violation{"a job that works has work left, or a write of it",
                         fmt::format("job {}", state.job().name),
                         format_seconds(now_ - *state.working_since),
                         format_seconds(most)};
    }
    return std::nullopt;
}

/// Checks that a job on a server that has failed unnoticed hangs, and does not end its work.
std::optional<Violation> JobLife::find_wrong_hang(const JobState& state) const {
    const std::string where = fmt::format("job {}", state.job().name);
    if (state.working_since && stands_on_broken(state) != state.hung_since.has_value()) {
        return Violation{"a job on a server that has failed hangs, and no other job does",
                         where,
                         state.hung_since ? "it hangs" : "it works",
                         state.hung_since ? "it works" : "it hangs"};
    }
    if (state.hung_since && (!state.working_since || (state.stop && !state.is_on_its_way_out()))) {
        return Violation{"a job that hangs has begun, and does not end its work",
                         where,
                         state.stop ? "a time to stop" : "it holds no places",
                         "neither"};
    }
    return std::nullopt;
}

/// Checks the number of jobs in each phase. Jobs that have ended are no longer in any table.
std::optional<Violation> JobLife::find_wrong_count() const {
    std::uint64_t waiting = 0;
    std::uint64_t running = 0;
    std::uint64_t suspended = 0;
    jobs_.for_each([&](JobId id) {
        const JobPhase phase = jobs_[id].phase;
        ++(phase == JobPhase::waiting ? waiting : phase == JobPhase::running ? running : suspended);
    });
    const std::uint64_t ended = jobs_.arrivals() - waiting - running - suspended;
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
    std::optional<Violation> violation;
    jobs_.for_each([&](JobId id) {
        const JobState& state = jobs_[id];
        if (!violation && !(violation = find_wrong_members(state)) &&
            !(violation = find_wrong_work(state)) && !(violation = find_overdue(state))) {
            violation = find_wrong_hang(state);
        }
        if (state.runs()) {
            running.emplace_back(id, &state);
        }
    });
    return violation ? violation : occupants_.find_violation(running);
}

}  // namespace berth::sim
