#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/scheduler/scheduler.hpp"
#include "sim/schedulers/profile/profile_scheduler.hpp"

namespace berth::sim {

/// What a scheduler that is asked has decided about a job.
struct Decision {
    enum class Kind : std::uint8_t {
        start,   ///< It starts.
        evict,   ///< It loses its places and waits again.
        reject,  ///< It is refused for good.
    };
    Kind kind = Kind::start;
    std::uint64_t job = 0;  ///< The job's arrival number.
    SimTime at{};
    std::vector<core::PlacedNode> servers{};  ///< Where it starts, in the order of the tree.
    std::string reason{};                     ///< Why it is refused.
};

/// Notes what a profile's scheduler decides, and passes everything that it is told on to it.
class NotedScheduler final : public Scheduler {
public:
    /// All arguments outlive it.
    NotedScheduler(const Settings& settings, RecordSink& sink, Actions& actions)
        : actions_(actions), scheduler_(settings, sink, actions) {}

    /// The decisions since the last call, in order.
    [[nodiscard]] std::vector<Decision> take() { return std::exchange(decisions_, {}); }
    /// The numbers of the jobs that have ended since the last call.
    [[nodiscard]] std::vector<std::uint64_t> take_ended() { return std::exchange(ended_, {}); }
    /// A waiting job leaves without a decision of the scheduler.
    void withdraw(JobId id);

    [[nodiscard]] std::optional<std::string> rejects(JobId id) override {
        return scheduler_.rejects(id);
    }
    void submitted(JobId id) override { scheduler_.submitted(id); }
    void started(JobId id, bool fresh) override;
    void evicted(JobId id, const Stay& stay, EvictionCause cause) override;
    void resize_asked(JobId id, core::Members size) override { scheduler_.resize_asked(id, size); }
    void ended(JobId id) override;
    void server_changed(core::ServerId server,
                        bool up,
                        const std::vector<core::Amount>& outside,
                        bool foreseen) override {
        scheduler_.server_changed(server, up, outside, foreseen);
    }
    void drains_changed(bool foreseen) override { scheduler_.drains_changed(foreseen); }
    void change_quotas(std::uint32_t change) override { scheduler_.change_quotas(change); }
    void woken(Timer timer) override { scheduler_.woken(timer); }
    void event_handled() override { scheduler_.event_handled(); }
    [[nodiscard]] std::optional<core::Violation> find_violation() override {
        return scheduler_.find_violation();
    }
    [[nodiscard]] Refusal why_waiting(JobId id) override { return scheduler_.why_waiting(id); }
    [[nodiscard]] bool holds_back(JobId id) override { return scheduler_.holds_back(id); }
    [[nodiscard]] const std::string& quota_of(JobId id) override { return scheduler_.quota_of(id); }
    [[nodiscard]] QuotaManager* quotas() override { return scheduler_.quotas(); }
    [[nodiscard]] Meter* meter() override { return scheduler_.meter(); }
    [[nodiscard]] std::uint64_t decisions() const override { return scheduler_.decisions(); }

private:
    void note(Decision::Kind kind, JobId id);

    Actions& actions_;
    ProfileScheduler scheduler_;
    std::vector<Decision> decisions_;
    std::vector<std::uint64_t> ended_;
    std::optional<JobId> withdrawn_;  ///< The job that is leaving now.
};

}  // namespace berth::sim
