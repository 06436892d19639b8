#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/scheduler/scheduler.hpp"

namespace berth::sim {

/// Passes everything that it is told on to another scheduler, which decides. What derives from it
/// sees, and adds, some of it.
class PassingScheduler : public Scheduler {
public:
    explicit PassingScheduler(std::unique_ptr<Scheduler> inner) : inner_(std::move(inner)) {}

    [[nodiscard]] std::optional<std::string> rejects(JobId id) override {
        return inner_->rejects(id);
    }
    void submitted(JobId id) override { inner_->submitted(id); }
    void started(JobId id, bool fresh) override { inner_->started(id, fresh); }
    void evicted(JobId id, const Stay& stay, EvictionCause cause) override {
        inner_->evicted(id, stay, cause);
    }
    void suspended(JobId id, const Stay& stay) override { inner_->suspended(id, stay); }
    [[nodiscard]] bool ends_leases() const override { return inner_->ends_leases(); }
    void moved(JobId id, const Stay& stay) override { inner_->moved(id, stay); }
    void resize_asked(JobId id, core::Members size) override { inner_->resize_asked(id, size); }
    void ended(JobId id) override { inner_->ended(id); }
    void server_changed(core::ServerId server,
                        bool up,
                        const std::vector<core::Amount>& outside,
                        bool foreseen) override {
        inner_->server_changed(server, up, outside, foreseen);
    }
    void drains_changed(bool foreseen) override { inner_->drains_changed(foreseen); }
    void change_quotas(std::uint32_t change) override { inner_->change_quotas(change); }
    void woken(Timer timer) override { inner_->woken(timer); }
    void event_handled() override { inner_->event_handled(); }
    [[nodiscard]] std::optional<core::Violation> find_violation() override {
        return inner_->find_violation();
    }
    [[nodiscard]] Refusal why_waiting(JobId id) override { return inner_->why_waiting(id); }
    [[nodiscard]] bool holds_back(JobId id) override { return inner_->holds_back(id); }
    [[nodiscard]] const std::string& quota_of(JobId id) override { return inner_->quota_of(id); }
    [[nodiscard]] QuotaManager* quotas() override { return inner_->quotas(); }
    [[nodiscard]] Meter* meter() override { return inner_->meter(); }
    [[nodiscard]] std::uint64_t decisions() const override { return inner_->decisions(); }
    void watch(std::uint64_t arrival, JobObserver& observer) override {
        inner_->watch(arrival, observer);
    }

private:
    std::unique_ptr<Scheduler> inner_;
};

}  // namespace berth::sim
