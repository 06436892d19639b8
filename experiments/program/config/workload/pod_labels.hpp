#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/elastic_quota/quota_rules.hpp"
#include "core/support/value.hpp"
#include "schedulers/kueue/run/kueue_settings.hpp"
#include "sim/job/checkpoint.hpp"
#include "sim/job/job.hpp"

namespace berth::experiments {

class PodNodes;

/// Reads what pods of every source may say of themselves: `priority`, `quota`, `namespace`,
/// `preemptible`, `class`, `checkpoint`, and checks them against the experiment's quotas and
/// classes: a pod on a parent quota is an error, so are an unknown class and, once a name, an
/// unknown quota, unless its pods are meant for the default group; a pod without a quota is a
/// warning, once.
class PodLabels {
public:
    explicit PodLabels(core::Diagnostics& diagnostics) : diagnostics_(diagnostics) {}
    /// `rules` hold the quotas at the start, `later` the names of those created during the run.
    PodLabels(const core::QuotaRules& rules,
              std::set<std::string> later,
              core::Diagnostics& diagnostics)
        : rules_(&rules), later_(std::move(later)), diagnostics_(diagnostics) {}

    /// The classes of the experiment's run times; without any, a pod may be of any class.
    void know_classes(std::vector<std::string> classes) { classes_ = std::move(classes); }

    /// Jobs may write checkpoints at the `optimal` interval.
    void know_random_failures() { random_failures_ = true; }

    /// Says once that a pod's quota limits nothing: the experiment has no quotas.
    void warn_of_quotas() { warns_of_quotas_ = true; }

    /// Pods of unknown quotas belong to the default group, with a warning.
    void allow_unknown_quotas() { unknown_allowed_ = true; }

    /// Jobs of traces may ask for levels of the cluster by labels of nodes: which level a label
    /// stands for, where its name does not say it.
    void know_levels(std::map<std::string, std::string> levels) { levels_ = std::move(levels); }
    /// Nothing: there is no cluster whose levels jobs could ask for.
    [[nodiscard]] const std::optional<std::map<std::string, std::string>>& levels() const {
        return levels_;
    }

    /// Pods may wait in queues of Kueue, or hold quota there. They outlive it.
    void know_kueue(const sim::KueueSettings& kueue) { kueue_ = &kueue; }
    [[nodiscard]] bool has_kueue() const { return kueue_ != nullptr; }
    /// Whether there is such a LocalQueue, or where there are none, such a ClusterQueue.
    [[nodiscard]] bool has_local_queue(const std::string& name_space,
                                       const std::string& name) const;

    /// Pods may say on which nodes of the cluster they run.
    void know_nodes(PodNodes& nodes) { nodes_ = &nodes; }
    /// nullptr: there is no cluster.
    [[nodiscard]] PodNodes* nodes() const { return nodes_; }
    /// Whether any that was read says nothing of nodes.
    [[nodiscard]] bool any_goes_anywhere() const { return any_goes_anywhere_; }

    void read(core::MapReader& map, sim::Job& job);
    /// How jobs write checkpoints, if the map says it.
    [[nodiscard]] std::optional<sim::Checkpoint> checkpoint_of(core::MapReader& map);
    /// Checks a job whose labels somebody else has read, at `span`.
    void check(const core::SourceSpan& span, const sim::Job& job);

private:
    void read_nodes(core::MapReader& map, sim::Job& job);
    void say_unknown(const core::SourceSpan& span, const std::string& quota);

    const core::QuotaRules* rules_ = nullptr;
    std::set<std::string> later_;
    std::set<std::string> warned_;
    bool unknown_allowed_ = false;
    bool random_failures_ = false;
    bool warns_of_quotas_ = false;
    bool warned_of_none_ = false;  ///< A pod without a quota is told of once.
    std::vector<std::string> classes_;
    std::optional<std::map<std::string, std::string>> levels_;
    PodNodes* nodes_ = nullptr;
    bool any_goes_anywhere_ = false;
    const sim::KueueSettings* kueue_ = nullptr;
    core::Diagnostics& diagnostics_;
};

}  // namespace berth::experiments
