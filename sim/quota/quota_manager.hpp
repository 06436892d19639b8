#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/elastic_quota/quota_rules.hpp"
#include "core/elastic_quota/quota_trees.hpp"
#include "core/ledger/ledger.hpp"
#include "sim/job/job.hpp"
#include "sim/quota/quota_settings.hpp"

namespace berth::sim {

/// The quotas of a run: which one a job belongs to, what its pods ask for and use, whether they are
/// admitted, and why not.
///
/// Shape:  amounts in the order of the topology's schema; a resource that the cluster lacks limits
///         nothing.
/// Cost:   O(depth x resources) for each change, in addition to what core::QuotaTrees says of
///         runtimes.
class QuotaManager {
public:
    /// What is in use before the run begins counts for the system group.
    QuotaManager(const QuotaSettings& settings, const core::Ledger& ledger);

    /// The quota a job belongs to now.
    [[nodiscard]] core::QuotaId quota_of(const Job& job) const;
    /// Why a job may not be submitted at all: its quota is a parent.
    [[nodiscard]] std::optional<std::string> rejects(core::QuotaId quota) const;

    /// `pods` more pods of a job ask for a place or, if negative, no longer do.
    void requested(core::QuotaId quota, const Job& job, core::Members pods);
    /// `pods` more pods of a job run or, if negative, have stopped.
    void used(core::QuotaId quota, const Job& job, core::Members pods);
    /// Counts a job's waiting pods in its quota and those above it.
    void waiting(core::QuotaId quota, core::Members pods);
    [[nodiscard]] core::Members waiting_pods(core::QuotaId quota) const {
        return waiting_[quota.index];
    }

    /// A running job of a quota. Lists of them are in the order of arrival.
    struct RunningJob {
        std::uint64_t arrival = 0;
        std::uint32_t index = 0;
        std::int32_t priority = 0;
        bool may_be_preempted = false;  ///< Whether it is a single pod that is preemptible.
        core::ServerId server;          ///< The server of a single pod.
        std::uint32_t demand = 0;       ///< Number of the demand of one pod: see demand().
    };
    using Running = std::vector<RunningJob>;
    void started(core::QuotaId quota,
                 const Job& job,
                 std::uint64_t arrival,
                 std::uint32_t index,
                 core::ServerId server);
    void stopped(core::QuotaId quota, std::uint64_t arrival);
    [[nodiscard]] const Running& running(core::QuotaId quota) const {
        return running_[quota.index];
    }
    [[nodiscard]] const Demand& demand(const RunningJob& job) const {
        return *demands_[job.demand];
    }

    /// Grows whenever some quota's runtime, usage or running jobs may have changed.
    [[nodiscard]] std::uint64_t changes() const { return trees_.changes() + running_changes_; }

    /// Whether each quota uses more than its runtime, by quota.
    /// Cost: O(quotas x resources) when something changed since the last time.
    [[nodiscard]] const std::vector<bool>& over();

    /// How many pods of a job the quota admits now, at most `most`; 0 if fewer than `least`.
    [[nodiscard]] core::Members admissible(core::QuotaId quota,
                                           const Job& job,
                                           core::Members least,
                                           core::Members most);
    /// The quota that does not admit the pods, and where; nothing if they are admitted.
    [[nodiscard]] std::optional<core::QuotaRefusal> refusal(core::QuotaId quota,
                                                            const Job& job,
                                                            core::Members pods);
    /// Why the quota does not admit the pods: which quota, which resource, how much, which quota of
    /// the tree holds it back, and which quotas use more than their runtimes meanwhile. Empty if it
    /// does.
    [[nodiscard]] std::string explain(core::QuotaId quota, const Job& job, core::Members pods);

    /// Whether pods that find no place are within their quota's min while other quotas use more
    /// than their runtimes: how much the quota uses, which quotas these are, and what would take it
    /// back. Empty if not.
    [[nodiscard]] std::string entitlement(core::QuotaId quota, const Job& job, core::Members pods);

    /// Applies a change of the quotas; a refusal says which rule the change breaks, and then
    /// nothing changes. `jobs` gives the number of jobs of a quota that have not ended.
    [[nodiscard]] core::Refusal apply(const QuotaChange& change,
                                      const std::function<std::size_t(const std::string&)>& jobs);
    /// The cluster's capacity changed.
    void capacity_changed();
    /// Resources that are in use from outside came (1) or left (-1) with their server.
    void background_changed(const std::vector<core::Amount>& amounts, core::Members sign);

    /// Compares what is kept about over-use with what the trees say when asked afresh.
    [[nodiscard]] std::optional<core::Violation> find_violation() const;
    [[nodiscard]] core::QuotaTrees& trees() { return trees_; }
    [[nodiscard]] const core::QuotaTrees& trees() const { return trees_; }
    [[nodiscard]] const QuotaSettings& settings() const { return settings_; }
    /// All existing quotas, parents before children, siblings by name; the special groups last.
    [[nodiscard]] std::vector<core::QuotaId> parents_first() const;
    /// The names of all quotas that the settings know: given, created later, special.
    [[nodiscard]] std::vector<std::string> names() const;
    /// The largest share of any of the cluster's resources that a quota uses, in units of 2^-62.
    /// Source: Ghodsi et al., "Dominant Resource Fairness" (NSDI 2011), section 4.1.
    [[nodiscard]] std::int64_t dominant_share(core::QuotaId quota) const;

private:
    [[nodiscard]] core::ResourceList amounts(const core::Quantities& quantities) const;
    [[nodiscard]] core::QuotaSpec spec_of(const core::ElasticQuota& quota) const;
    [[nodiscard]] core::Refusal create(const core::ElasticQuota& quota);
    [[nodiscard]] core::Refusal update(const core::ElasticQuota& quota, std::size_t jobs);
    [[nodiscard]] core::Refusal patch(const QuotaPatch& patch, std::size_t jobs);
    [[nodiscard]] core::Refusal remove(const std::string& name, std::size_t jobs);
    void resize_tables();
    [[nodiscard]] std::string amount_text(std::size_t resource, core::Amount amount) const;
    [[nodiscard]] std::string held_back_by(core::QuotaId quota, std::size_t resource);
    [[nodiscard]] std::string who_uses_it(core::QuotaId quota, std::size_t resource);

    const QuotaSettings& settings_;
    const core::Ledger& ledger_;
    const core::ResourceSchema& schema_;
    core::QuotaRules rules_;
    core::QuotaTrees trees_;
    std::vector<core::Members> waiting_;  ///< Waiting pods of each quota, including all quotas
                                          ///< below it.
    std::vector<Running> running_;        ///< Running jobs of each quota.
    std::uint64_t running_changes_ = 0;   ///< Number of changes of these lists.
    std::map<Demand, std::uint32_t> demand_numbers_;
    std::vector<const Demand*> demands_;  ///< The keys of demand_numbers_, by number.
    std::vector<bool> over_;              ///< Whether each quota is over, at change `over_at_` of
                                          ///< the trees.
    std::uint64_t over_at_ = ~std::uint64_t{0};
};

}  // namespace berth::sim
