#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/node_rules/node_affinity.hpp"
#include "core/support/value.hpp"
#include "core/tree/topology.hpp"
#include "experiments/program/config/document/object_fields.hpp"
#include "experiments/program/config/document/scheduler_documents.hpp"
#include "sim/job/node_selector.hpp"
#include "workloads/unmodelled/pod_fields.hpp"

namespace berth::experiments {

/// The servers on which pods may run by what their specs say about nodes: `nodeSelector`, required
/// node affinity, and `tolerations` of the nodes' taints. As with kube-scheduler's filters
/// NodeAffinity and TaintToleration, a pod without any of these may run on every node without a
/// taint.
///
/// Cost: O(labels of all servers) for each different condition, O(servers) for each different spec.
class PodNodes {
public:
    /// `topology`: that of the experiment, with its Node objects if it has some, whose taints
    /// count. Both must outlive this.
    PodNodes(const core::Topology& tree,
             const core::Value& topology,
             core::Diagnostics& diagnostics);

    /// Makes what of() returns carry what a scheduler that reads pods itself makes of them. Both
    /// must outlive this.
    void read_pods_for(const SchedulerDocuments& scheduler,
                       const sim::SchedulerSettings& settings) {
        reader_ = &scheduler;
        settings_ = &settings;
    }
    /// Whether pods may say more than on which nodes they may run.
    [[nodiscard]] bool reads_pods() const { return reader_ != nullptr; }
    /// Whether claims of pods count.
    [[nodiscard]] bool knows_devices() const {
        return reader_ != nullptr && reader_->knows_devices(*settings_);
    }
    /// What SchedulerDocuments::priority_of() of that scheduler says; nothing if there is none.
    [[nodiscard]] std::optional<PodPriority> priority_of(std::string_view class_name) const {
        return reader_ == nullptr ? std::nullopt : reader_->priority_of(*settings_, class_name);
    }

    /// Where pods with this spec may run; nullptr: everywhere. `span`: the pod's place, for
    /// messages. `node`: the only node on which the pod may run, as for a pod of a DaemonSet; or
    /// "". `pods`: the number of pods with this spec, for counts. `metadata`: that of the pods;
    /// nullptr if it is not known, and then what pods say about other pods is left out.
    [[nodiscard]] std::shared_ptr<const sim::NodeSelector> of(
        const core::Value& spec,
        const core::SourceSpan& span,
        std::string_view node = "",
        std::uint64_t pods = 1,
        const core::Value* metadata = nullptr);
    /// Counts what a pod of a document says beside this, and is not modelled.
    void look_at_fields(const core::Value& pod);
    /// Warns once, with counts, about requests of pods that no server can fulfil or that are not
    /// modelled. `tolerations_may_come`: an admission may let pods tolerate more taints.
    void warn(bool tolerations_may_come);

private:
    /// Counts the pods that one message is about.
    struct Counted {
        std::uint64_t pods = 0;
        core::SourceSpan first;
        std::string example;

        void add(std::uint64_t more, const core::SourceSpan& span, const std::string& text);
    };
    /// What is known of a spec after it was evaluated.
    struct Known {
        std::shared_ptr<const sim::NodeSelector> selector;
        std::string text;         ///< What the spec asks for, for messages.
        bool unlabelled = false;  ///< Whether it asks for labels although no server has any.
        bool nowhere = false;     ///< Whether no server admits its pods.
        bool repelled = false;    ///< Whether only taints are the reason.
    };
    [[nodiscard]] std::optional<core::ServerId> server(std::string_view name);
    void read_taints(const core::Value& topology);
    [[nodiscard]] Known look(const core::Value& spec, std::string_view node);
    [[nodiscard]] std::shared_ptr<const sim::NodeSelector> with_template(
        const core::Value& spec,
        std::string_view node,
        const core::Value* metadata,
        const std::string& written);
    void count_what_is_not_modelled(const core::Value& spec,
                                    const core::SourceSpan& span,
                                    std::uint64_t pods,
                                    bool knows_metadata);
    [[nodiscard]] std::vector<bool> matching(const core::PodNodeRules& rules);
    [[nodiscard]] const std::vector<bool>& matching(const core::LabelExpression& one);
    [[nodiscard]] std::vector<bool> matching_name(const core::LabelExpression& one);
    const core::Topology& tree_;
    core::Diagnostics& diagnostics_;
    bool knows_labels_;
    const SchedulerDocuments* reader_ = nullptr;  ///< It has a function to read pods.
    const sim::SchedulerSettings* settings_ = nullptr;
    std::unordered_map<std::string_view, core::ServerId>
        servers_;  ///< Empty until it is first needed.
    std::shared_ptr<const sim::ServerTaints> taints_;
    std::map<core::LabelExpression, std::vector<bool>> conditions_;
    std::map<std::string, Known> known_;  ///< Keyed by the text of what specs say.
    ObjectFields fields_{workloads::pod_fields(workloads::PodReader::running)};
    Counted unlabelled_;
    Counted nowhere_;
    Counted repelled_;                             ///< Pods that only taints keep from all servers.
    std::map<std::string, Counted> not_modelled_;  ///< Keyed by the field of the pod.
};

}  // namespace berth::experiments
