#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sim/run/run_control.hpp"
#include "sim/scheduler/scheduler.hpp"

namespace berth::experiments {

/// What became of a job whose start is forecast.
struct WatchedStart {
    sim::SimTime start = sim::never;  ///< Its first start; `never`: not before the run ended.
    bool preempted = false;           ///< It lost its places to another job before its end.
    bool over = false;
};

/// Passes everything on to a scheduler, and stops the run once all watched jobs have started; or,
/// if `to_their_ends`, once all have ended.
class StartWatch final : public sim::Scheduler {
public:
    /// `names`: of the watched jobs, in the order in which those with one name come. All references
    /// outlive it.
    StartWatch(std::unique_ptr<sim::Scheduler> scheduler,
               sim::Actions& actions,
               const std::vector<std::string>& names,
               bool to_their_ends,
               std::vector<WatchedStart>& starts,
               sim::RunControl& control);

    /// Has it note, for each watched job, what keeps it from starting at time 0; nullptr: nothing.
    void ask_at_first(std::vector<std::string>* waits_for) { waits_for_ = waits_for; }

    [[nodiscard]] std::optional<std::string> rejects(sim::JobId id) override {
        return scheduler_->rejects(id);
    }
    void submitted(sim::JobId id) override;
    void started(sim::JobId id, bool fresh) override;
    void evicted(sim::JobId id, const sim::Stay& stay, sim::EvictionCause cause) override;
    void ended(sim::JobId id) override;
    void suspended(sim::JobId id, const sim::Stay& stay) override {
        scheduler_->suspended(id, stay);
    }
    [[nodiscard]] bool ends_leases() const override { return scheduler_->ends_leases(); }
    void moved(sim::JobId id, const sim::Stay& stay) override { scheduler_->moved(id, stay); }
    void resize_asked(sim::JobId id, core::Members size) override {
        scheduler_->resize_asked(id, size);
    }
    void server_changed(core::ServerId server,
                        bool up,
                        const std::vector<core::Amount>& outside,
                        bool foreseen) override {
        scheduler_->server_changed(server, up, outside, foreseen);
    }
    void drains_changed(bool foreseen) override { scheduler_->drains_changed(foreseen); }
    void change_quotas(std::uint32_t change) override { scheduler_->change_quotas(change); }
    void woken(sim::Timer timer) override;
    void event_handled() override { scheduler_->event_handled(); }
    [[nodiscard]] std::optional<core::Violation> find_violation() override {
        return scheduler_->find_violation();
    }
    [[nodiscard]] sim::Refusal why_waiting(sim::JobId id) override {
        return scheduler_->why_waiting(id);
    }
    [[nodiscard]] bool holds_back(sim::JobId id) override { return scheduler_->holds_back(id); }
    [[nodiscard]] const std::string& quota_of(sim::JobId id) override {
        return scheduler_->quota_of(id);
    }
    [[nodiscard]] sim::QuotaManager* quotas() override { return scheduler_->quotas(); }
    [[nodiscard]] sim::Meter* meter() override { return scheduler_->meter(); }
    [[nodiscard]] std::uint64_t decisions() const override { return scheduler_->decisions(); }
    void watch(std::uint64_t arrival, sim::JobObserver& observer) override {
        scheduler_->watch(arrival, observer);
    }

private:
    [[nodiscard]] WatchedStart* watched(sim::JobId id);
    void one_is_done();
    void ask();

    std::unique_ptr<sim::Scheduler> scheduler_;
    sim::Actions& actions_;
    bool to_their_ends_;
    std::vector<WatchedStart>& starts_;
    sim::RunControl& control_;
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
