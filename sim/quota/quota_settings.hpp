#pragma once

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/elastic_quota/elastic_quota.hpp"
#include "core/elastic_quota/quota_admission.hpp"
#include "core/elastic_quota/quota_eviction.hpp"
#include "sim/clock/time.hpp"
#include "sim/queue/queue_policy.hpp"

namespace berth::sim {

/// New values for some fields of an existing quota.
struct QuotaPatch {
    std::string name;
    std::optional<core::Quantities> min;
    std::optional<core::Quantities> max;
    std::optional<core::Quantities> shared_weight;
    std::optional<std::string> parent;
    std::optional<bool> allow_lent_resource;
};

/// A change of the quotas during the run. A change that breaks a rule is refused and recorded.
struct QuotaChange {
    struct Create {
        core::ElasticQuota quota;
    };
    struct Update {
        core::ElasticQuota quota;
    };
    struct Delete {
        std::string name;
    };
    SimTime at{};
    std::variant<Create, Update, QuotaPatch, Delete> what;
};

/// The over-use recycler: a pod is taken from a quota that has used more than its runtime for
/// longer than `patience`.
/// Source: Koordinator's "Multi Hierarchy Elastic Quota Management" v1.1, "Min Guarantee and
///         Preemption"; its revokePodInterval and delayEvictTime.
struct RecyclerSettings {
    SimTime period = std::chrono::seconds(1);  ///< How often it looks; above 0.
    SimTime patience = std::chrono::seconds(10);
    core::RevokeRules rules = core::RevokeRules::documented;
};

/// In-quota preemption: which pods are tried as victims besides those of the rule (same quota,
/// lower priority).
struct PreemptionSettings {
    bool default_group = false;  ///< Whether it works in the default group, too.
};

/// Preemption for and of whole jobs, including groups: which jobs are tried as victims besides jobs
/// of lower priority of the same quota.
struct GangPreemptionSettings {
    bool reclaim = false;  ///< Whether jobs of other quotas that have borrowed are tried.
};

/// The quotas of a run and what is done with them.
struct QuotaSettings {
    std::vector<core::ElasticQuota> quotas;  ///< Checked; parents first.
    std::vector<QuotaChange> changes;        ///< Changes in order of time.
    bool admission = true;  ///< Whether the elastic-quota preFilter works; otherwise quotas are
                            ///< only recorded.
    core::AdmissionRules rules;
    bool scale_min = true;
    core::Quantities default_group_max;  ///< Empty: no limit.
    /// How often runtimes are brought up to date for waiting jobs; 0: at every change. A pod that
    /// is tried always sees its quota's own runtime as it is.
    SimTime refresh = std::chrono::seconds(1);
    std::optional<RecyclerSettings> recycler;
    std::optional<PreemptionSettings> preemption;
    std::optional<GangPreemptionSettings> gang_preemption;  ///< An alternative to `preemption`,
                                                            ///< never both.

    [[nodiscard]] Preemptors preemptors() const {
        return gang_preemption ? Preemptors::all
               : preemption    ? Preemptors::single_pods
                               : Preemptors::none;
    }
};

}  // namespace berth::sim
