#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "sim/run/run_control.hpp"
#include "sim/scheduler/passing_scheduler.hpp"

namespace berth::experiments {

/// What became of a job whose start is forecast.
struct WatchedStart {
    sim::SimTime start = sim::never;  ///< Its first start; `never`: not before the run ended.
    bool preempted = false;           ///< It lost its places to another job before its end.
    bool over = false;
};

/// Stops the run once all watched jobs have started; or, if `to_their_ends`, once all have ended.
class StartWatch final : public sim::PassingScheduler {
public:
    /// `names`: of the watched jobs, in the order in which those with one name come. `run`: stops
    /// this run; `all`: if it is stopped, so is this run. All references outlive it.
    StartWatch(std::unique_ptr<sim::Scheduler> scheduler,
               sim::Actions& actions,
               const std::vector<std::string>& names,
               bool to_their_ends,
               std::vector<WatchedStart>& starts,
               sim::RunControl& run,
               const sim::RunControl& all);

    /// Has it note, for each watched job, what keeps it from starting at time 0; nullptr: nothing.
    void ask_at_first(std::vector<std::string>* waits_for) { waits_for_ = waits_for; }

    void submitted(sim::JobId id) override;
    void started(sim::JobId id, bool fresh) override;
    void evicted(sim::JobId id, const sim::Stay& stay, sim::EvictionCause cause) override;
    void ended(sim::JobId id) override;
    void woken(sim::Timer timer) override;
    void event_handled() override;

private:
    [[nodiscard]] WatchedStart* watched(sim::JobId id);
    void one_is_done();
    void ask();

    sim::Actions& actions_;
    bool to_their_ends_;
    std::vector<WatchedStart>& starts_;
    sim::RunControl& run_;
    const sim::RunControl& all_;
    std::vector<std::string>* waits_for_ = nullptr;
    /// Indexes of the jobs that have not come yet, by name; the next to come is the last.
    std::unordered_map<std::string, std::vector<std::size_t>> expected_;
    struct Arrived {
        std::size_t index = 0;
        sim::JobId id;
    };
    std::unordered_map<std::uint64_t, Arrived>
        arrived_;  ///< The jobs that have arrived, by their numbers of arrival.
    std::size_t left_ = 0;
};

}  // namespace berth::experiments
