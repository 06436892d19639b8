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
#include "sim/job/node_selector.hpp"

namespace berth::experiments {

/// The servers on which pods may run by what their specs say of nodes: `nodeSelector`, required
/// node affinity, and `tolerations` of what the nodes are tainted with. As kube-scheduler's filters
/// NodeAffinity and TaintToleration, a pod without any runs on every node without a taint.
///
/// Cost: O(labels of all servers) for each different condition, O(servers) for each different spec.
class PodNodes {
public:
    /// `topology`: of the experiment, with its Node objects where it has some, whose taints count.
    /// Both outlive it.
    PodNodes(const core::Topology& tree,
             const core::Value& topology,
             core::Diagnostics& diagnostics);

    /// Where pods of this spec may run; nullptr: everywhere. `span`: of the pod, for messages.
    /// `node`: of a pod that runs on this node alone, as one of a DaemonSet does; or "".
    /// `pods`: how many of this spec are counted.
    [[nodiscard]] std::shared_ptr<const sim::NodeSelector> of(const core::Value& spec,
                                                              const core::SourceSpan& span,
                                                              std::string_view node = "",
                                                              std::uint64_t pods = 1);
    /// Says once, with counts, what pods asked for that no server can give or that is not modelled.
    void warn();

private:
    /// Counts the pods that one message is about.
    struct Counted {
        std::uint64_t pods = 0;
        core::SourceSpan first;
        std::string example;

        void add(std::uint64_t more, const core::SourceSpan& span, const std::string& text);
    };
    /// What is known of a spec once it was looked at.
    struct Known {
        std::shared_ptr<const sim::NodeSelector> selector;
        std::string text;         ///< It tells people what the spec asks for.
        bool unlabelled = false;  ///< It asks for labels, and no server has any.
        bool nowhere = false;     ///< No server lets its pods in.
    };
    [[nodiscard]] std::optional<core::ServerId> server(std::string_view name);
    void read_taints(const core::Value& topology);
    [[nodiscard]] Known look(const core::Value& spec, std::string_view node);
    void count_what_is_not_modelled(const core::Value& spec,
                                    const core::SourceSpan& span,
                                    std::uint64_t pods);
    [[nodiscard]] std::vector<bool> matching(const core::PodNodeRules& rules);
    [[nodiscard]] const std::vector<bool>& matching(const core::LabelExpression& one);
    [[nodiscard]] std::vector<bool> matching_name(const core::LabelExpression& one);
    [[nodiscard]] std::vector<bool> untolerated(const core::PodNodeRules& rules) const;

    const core::Topology& tree_;
    core::Diagnostics& diagnostics_;
    bool knows_labels_;
    std::unordered_map<std::string_view, core::ServerId>
        servers_;                                          ///< Empty until one is asked for.
    std::vector<std::vector<core::Taint>> taints_;         ///< Each different list once.
    std::vector<std::uint32_t> taints_of_;                 ///< By server: an index into taints_.
    std::map<std::string, std::vector<bool>> conditions_;  ///< By their text.
    std::map<std::string, Known> known_;                   ///< By what specs say, as it is written.
    Counted unlabelled_;
    Counted nowhere_;
    std::map<std::string, Counted> not_modelled_;  ///< By what a pod says.
};

}  // namespace berth::experiments
