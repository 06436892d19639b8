#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/profile/admission.hpp"
#include "sim/profile/settings.hpp"
#include "sim/queue/waiting_queue.hpp"
#include "sim/quota/quota_manager.hpp"
#include "sim/quota/quota_metrics.hpp"
#include "sim/quota/recycler.hpp"
#include "sim/quota/residents.hpp"
#include "sim/schedulers/profile/gang_preemption.hpp"

namespace berth::sim {

/// Admission by elastic quotas: keeps what each quota asks for, uses and has waiting, which pods
/// are revoked because their quota uses more than its runtime, and which are preempted by other
/// jobs.
class QuotaAdmission final : public Admission {
public:
    /// All arguments outlive it; the settings have quotas. `owner_changes` is called before a
    /// running job changes its owner, with its running pods as a negative number, and again
    /// afterwards, with a positive one.
    using OwnerChanges = std::function<void(JobId id, core::Members pods)>;
    QuotaAdmission(const Settings& settings,
                   RecordSink& sink,
                   Actions& actions,
                   WaitingQueue& queue,
                   OwnJobs& jobs,
                   Placer& placer,
                   OwnerChanges owner_changes);

    [[nodiscard]] core::QuotaId owner_of(const Job& job) override { return quotas_.quota_of(job); }
    [[nodiscard]] const std::string& name_of(JobId id, const Job& job) override;
    [[nodiscard]] std::optional<std::string> rejects(JobId id) override;
    void asks(JobId id) override;
    void waits(JobId id) override;
    void leaves_queue(JobId id) override;
    void runs(JobId id) override;
    void evicted(JobId id, const Stay& stay, EvictionCause cause) override;
    void ended(JobId id) override;
    void changed(JobId id) override;
    [[nodiscard]] core::Members admissible(JobId id, const Job& job) override;
    [[nodiscard]] std::string explain(JobId id) override;
    [[nodiscard]] bool preempt_for(JobId id) override;
    [[nodiscard]] bool may_grow(JobId id, core::Members more) override;
    void not_resized(JobId id, core::Members more) override;
    void resized(JobId id, core::Members more) override;
    void asks_for_more(JobId id, core::Members more) override;
    void left(core::ServerId server) override;
    void server_changed(bool up, const std::vector<core::Amount>& outside) override;
    void drain_is_over() override;
    [[nodiscard]] bool change_quotas(std::uint32_t number) override;
    [[nodiscard]] bool woken(Timer timer) override;
    void begin_cycle() override;
    void event_handled() override;
    [[nodiscard]] std::optional<core::Violation> find_violation() override;
    [[nodiscard]] QuotaManager* quotas() override { return &quotas_; }
    [[nodiscard]] Meter* meter() override { return &metrics_; }

private:
    [[nodiscard]] const JobRecord& record(JobId id) const { return actions_.job(id).record; }
    [[nodiscard]] core::QuotaId quota(JobId id) { return jobs_[id].owner; }
    [[nodiscard]] std::vector<core::QuotaTrees::OfPods> asked_and_used();
    [[nodiscard]] std::optional<core::Violation> find_wrong_job_lists();
    void note_running(JobId id);
    void note_stopped(JobId id, const Stints& stints);
    void any_quota_changed();
    void wake_everybody();
    void wake_lenders(core::QuotaId borrower);
    [[nodiscard]] std::optional<MadeRoom> make_room_on_a_server(JobId id);
    void reassign();
    void reassign(JobId id, core::QuotaId after);
    [[nodiscard]] bool refresh();
    void refresh_had_its_turn();
    void recycle();
    void recycler_had_its_turn();
    void recycle(core::QuotaId from);

    const Settings& settings_;
    RecordSink& sink_;
    Actions& actions_;
    WaitingQueue& queue_;
    OwnJobs& jobs_;
    OwnerChanges owner_changes_;
    QuotaManager quotas_;
    /// Jobs that have not ended, by the label and the namespace that determine their quota, and
    /// then by arrival.
    using Alike = std::map<std::uint64_t, JobId>;
    using ByLabels = std::map<std::pair<std::string, std::string>, Alike>;
    ByLabels alike_;
    ByJob<ByLabels::iterator> alike_of_;  ///< Needed because a record's label changes at its end.
    QuotaMetrics metrics_;
    std::optional<Recycler> recycler_;
    std::optional<Residents> residents_;  ///< Set if there is in-quota preemption.
    std::optional<GangPreemption> gang_preemption_;
    bool refresh_pending_ = false;
    bool recycle_pending_ = false;
    SimTime next_refresh_{};  ///< The next refresh comes no earlier than this.
    SimTime next_recycle_{};
    std::uint64_t refreshed_at_ = ~std::uint64_t{0};  ///< The number of changes of the quotas at
                                                      ///< the last refresh.
};

}  // namespace berth::sim
