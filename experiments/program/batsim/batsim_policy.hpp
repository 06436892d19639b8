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

/// What happened, in the words of Batsim's protocol, until somebody is told.
class BatsimMessage {
public:
    [[nodiscard]] bool empty() const { return events_.empty(); }
    void add(sim::SimTime at, const char* type, nlohmann::ordered_json event);
    /// The message as JSON; there is nothing to tell afterwards.
    [[nodiscard]] std::string take(sim::SimTime now);

private:
    nlohmann::ordered_json events_ = nlohmann::ordered_json::array();
};

/// SimulationBeginsEvent: the servers as hosts, with what they have as properties.
[[nodiscard]] nlohmann::ordered_json simulation_begins(const sim::Cluster& cluster,
                                                       const std::vector<core::ServerId>& hosts);

/// The profile of a job, which says no more than its pods' type.
[[nodiscard]] std::string profile_of(const sim::Job& job);

/// JobSubmittedEvent: a host for each pod, and its estimate as the walltime.
[[nodiscard]] nlohmann::ordered_json job_submitted(const std::string& id, const sim::Job& job);

/// A scheduler for Batsim: hosts are the servers that are there, and a job asks for a host for each
/// of its pods. It is told what happened as Batsim would tell it, and what it decides is carried
/// out at the time that it says, when it also hears again.
///
/// Source: Batsim 5.0.0-rc2, docs/protocol.rst and src/server.cpp; batprotocol 0.1.0.
class BatsimPolicy final : public sim::OutsidePolicy {
public:
    /// `init` is for the library. `more_arrivals` says whether a job is still to come.
    BatsimPolicy(const sim::OutsideActions& see,
                 std::unique_ptr<BatsimLibrary> library,
                 const std::string& init,
                 std::function<bool()> more_arrivals);
    /// Tells it that the simulation is over, if it went well.
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
        std::optional<std::uint64_t> left;  ///< Calls, of a period that ends.
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
    std::vector<core::ServerId> hosts_;  ///< By their numbers in the protocol.
    std::unordered_map<std::string, sim::JobId> jobs_;
    std::vector<std::string> names_;  ///< By JobId.
    std::unordered_set<std::string> ended_;
    std::map<std::string, Call> calls_;
    BatsimMessage message_;
    std::multimap<sim::SimTime, BatsimDecision> decided_;  ///< Not carried out yet.
    sim::SimTime hears_from_{};                            ///< It is not told of anything before.
    bool has_begun_ = false;
};

}  // namespace berth::experiments
