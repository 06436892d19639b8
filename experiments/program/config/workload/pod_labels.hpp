#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/elastic_quota/quota_rules.hpp"
#include "core/support/value.hpp"
#include "sim/job/checkpoint.hpp"
#include "sim/job/job.hpp"
#include "sim/profile/admission.hpp"

namespace berth::experiments {

class PodNodes;

/// Reads what pods of every source may state: `priority`, `quota`, `namespace`, `preemptible`,
/// `class`, `checkpoint`, and checks it against the experiment's quotas and classes. A pod on a
/// parent quota is an error. So are an unknown class and, once for each name, an unknown quota,
/// unless its pods are meant for the default group. A pod without a quota gets a warning, once.
class PodLabels {
public:
    explicit PodLabels(core::Diagnostics& diagnostics) : diagnostics_(diagnostics) {}
    /// `rules` holds the quotas at the start, `later` the names of those created during the run.
    PodLabels(const core::QuotaRules& rules,
              std::set<std::string> later,
              core::Diagnostics& diagnostics)
        : rules_(&rules), later_(std::move(later)), diagnostics_(diagnostics) {}

    /// Sets the classes of the experiment's run times. Without this call, a pod may be of any
    /// class.
    void know_classes(std::vector<std::string> classes) { classes_ = std::move(classes); }

    /// Allows jobs to write checkpoints at the `optimal` interval.
    void know_random_failures() { random_failures_ = true; }

    /// Makes the first pod with a quota warn that it limits nothing, because the experiment has no
    /// quotas.
    void warn_of_quotas() { warns_of_quotas_ = true; }

    /// Puts pods of unknown quotas into the default group, with a warning.
    void allow_unknown_quotas() { unknown_allowed_ = true; }

    /// Allows jobs of traces to request levels of the cluster by node labels. `levels`: the level
    /// that a label stands for, if its name does not tell it.
    void know_levels(std::map<std::string, std::string> levels) { levels_ = std::move(levels); }
    /// Nothing if there is no cluster whose levels jobs could request.
    [[nodiscard]] const std::optional<std::map<std::string, std::string>>& levels() const {
        return levels_;
    }

    /// Allows pods to wait in the queues of the system that admits jobs, or to hold quota there.
    /// `admission` must outlive this.
    void know_queues(const sim::AdmissionSettings& admission) { admission_ = &admission; }
    /// nullptr if there is no such system.
    [[nodiscard]] const sim::AdmissionSettings* admission() const { return admission_; }

    /// Allows pods to state on which nodes of the cluster they may run.
    void know_nodes(PodNodes& nodes) { nodes_ = &nodes; }
    /// nullptr if there is no cluster.
    [[nodiscard]] PodNodes* nodes() const { return nodes_; }
    /// Whether some pod that was read says nothing about nodes.
    [[nodiscard]] bool any_goes_anywhere() const { return any_goes_anywhere_; }

    /// `pod`: an object whose metadata and spec say what the map would say of nodes, other pods,
    /// namespace and priority; nullptr if the map does.
    void read(core::MapReader& map, sim::Job& job, const core::Value* pod = nullptr);
    /// States the priority of a pod whose spec does not, by its class. Only whether it preempts
    /// is taken from its class if its priority is known without it.
    /// Errors: recorded for a class that is not known.
    void complete_priority(bool is_known, core::Value& pod);
    /// How jobs write checkpoints, if the map states it.
    [[nodiscard]] std::optional<sim::Checkpoint> checkpoint_of(core::MapReader& map);
    /// Checks a job at `span` whose labels were read elsewhere.
    void check(const core::SourceSpan& span, const sim::Job& job);

private:
    void read_nodes(core::MapReader& map, sim::Job& job);
    void take_nodes(const core::Value& pod, sim::Job& job);
    void say_unknown(const core::SourceSpan& span, const std::string& quota);

    const core::QuotaRules* rules_ = nullptr;
    std::set<std::string> later_;
    std::set<std::string> warned_;
    bool unknown_allowed_ = false;
    bool random_failures_ = false;
    bool warns_of_quotas_ = false;
    bool warned_of_none_ = false;  ///< Whether a pod without a quota was reported.
    std::vector<std::string> classes_;
    std::optional<std::map<std::string, std::string>> levels_;
    PodNodes* nodes_ = nullptr;
    bool any_goes_anywhere_ = false;
    const sim::AdmissionSettings* admission_ = nullptr;
    core::Diagnostics& diagnostics_;
};

}  // namespace berth::experiments
