#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "experiments/program/batsim/batsim_library.hpp"
#include "experiments/program/batsim/decisions.hpp"
#include "sim/cluster/cluster.hpp"
#include "sim/job/job_state.hpp"
#include "sim/schedulers/outside/outside_policy.hpp"

namespace berth::experiments {

/// Collects events in Batsim's protocol, until they are reported to the scheduler.
class BatsimMessage {
public:
    [[nodiscard]] bool empty() const { return events_.empty(); }
    void add(sim::SimTime at, const char* type, nlohmann::ordered_json event);
    /// Returns the message as JSON and removes its events.
    [[nodiscard]] std::string take(sim::SimTime now);

private:
    nlohmann::ordered_json events_ = nlohmann::ordered_json::array();
};

/// SimulationBeginsEvent: the servers as hosts, with their contents as properties.
[[nodiscard]] nlohmann::ordered_json simulation_begins(const sim::Cluster& cluster,
                                                       const std::vector<core::ServerId>& hosts);

/// The profile of a job, which only tells the type of its pods.
[[nodiscard]] std::string profile_of(const sim::Job& job);

/// JobSubmittedEvent: the job asks for a host for each pod; its estimate is the walltime.
[[nodiscard]] nlohmann::ordered_json job_submitted(const std::string& id, const sim::Job& job);

/// A scheduler for Batsim. Hosts are the servers that are there, and a job asks for one host for
/// each of its pods. The scheduler gets the same messages as from Batsim. Its decisions are carried
/// out at the times that they state, and it gets no messages while it takes its time to decide.
///
/// Source: Batsim 5.0.0-rc2, docs/protocol.rst and src/server.cpp; batprotocol 0.1.0.
class BatsimPolicy final : public sim::OutsidePolicy {
public:
    /// `init` is passed to the library. `more_arrivals` says whether a job is still to come.
    BatsimPolicy(const sim::OutsideActions& see,
                 std::unique_ptr<BatsimLibrary> library,
                 const std::string& init,
                 std::function<bool()> more_arrivals);
    /// Tells the scheduler that the simulation is over, if it ended without an error.
    ~BatsimPolicy() override;
    BatsimPolicy(const BatsimPolicy&) = delete;
    BatsimPolicy& operator=(const BatsimPolicy&) = delete;

    void decide(sim::OutsideActions& act) override;
    void submitted(sim::JobId id) override;
    void ended(sim::JobId id) override;
    [[nodiscard]] std::optional<std::vector<core::PlacedNode>> resized(
        const sim::OutsideActions& see, sim::JobId id, core::Members size) override;
    [[nodiscard]] std::string why_waiting(sim::JobId id) override;

private:
    struct Call {
        sim::SimTime next{};
        std::optional<sim::SimTime> period;
        std::optional<std::uint64_t> left;  ///< Number of periodic calls left; nothing: no end.
    };
    [[noreturn]] void fail(const std::string& what) const;
    [[nodiscard]] sim::JobId job_of(const std::string& name) const;
    void note_calls();
    void ask(const std::string& message);
    void carry_out(sim::OutsideActions& act);
    void ask_for_turns(sim::OutsideActions& act) const;
    void act_on(sim::OutsideActions& act, const ExecuteJob& what);
    void act_on(sim::OutsideActions& act, const RejectJob& what);
    void act_on(sim::OutsideActions& act, const KillJobs& what);
    void act_on(sim::OutsideActions& act, const CallMeLater& what);
    void act_on(sim::OutsideActions& act, const StopCallMeLater& what);

    const sim::OutsideActions& see_;
    std::unique_ptr<BatsimLibrary> library_;
    std::function<bool()> more_arrivals_;
    std::vector<core::ServerId> hosts_;  ///< The servers that are hosts, indexed by host number.
    std::unordered_map<std::string, sim::JobId> jobs_;
    std::vector<std::string> names_;  ///< Names of the jobs, indexed by JobId.
    std::unordered_set<std::string> ended_;
    std::map<std::string, Call> calls_;
    BatsimMessage message_;
    std::multimap<sim::SimTime, BatsimDecision> decided_;  ///< Decisions that were not carried out
                                                           ///< yet.
    sim::SimTime hears_from_{};                            ///< The scheduler gets no messages
                                                           ///< before this time.
    bool has_begun_ = false;
};

}  // namespace berth::experiments
