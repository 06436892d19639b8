#pragma once

#include <cstddef>
#include <list>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "schedulers/kube/decide/pod_class_index.hpp"

namespace berth::core::kube {

/// Decides for one pod after the other as find_feasible() and choose_node() do. It remembers which
/// nodes are feasible for pods that are alike, if other pods do not count for them.
///
/// Cost:   for such a pod that of PodClassIndex, for others that of find_feasible(). An index is
///         made when pods of a class have cost as much without it as it costs.
/// Memory: the indexes of the 32 classes that were asked for last.
class Decider {
public:
    /// The cluster must outlive the decider. Pods may be placed, nominated and withdrawn.
    explicit Decider(Cluster& cluster) : cluster_(cluster) {}

    /// The choice for a pod, or what was found if no node is feasible. There is at least one node.
    /// Cost:   with `among`, that of find_feasible().
    /// Errors: CycleError.
    [[nodiscard]] std::variant<Choice, Feasible> decide(const Pod& pod, Among among = nullptr);

private:
    /// What other pods see of a pod, and whether any of them counts for it.
    struct Company {
        std::string name_space;
        Labels labels;
        bool has_terms = false;  ///< A term of a running pod matches the pod.
        std::size_t repelling_terms_tried = 0;
        std::size_t scoring_terms_tried = 0;
    };
    /// A class has pods that are alike. Pods that follow each other often have the same company.
    struct Class {
        Pod pod;
        std::vector<SpreadConstraint> constraints;
        std::optional<Company> company;
        std::size_t looked_at = 0;  ///< So many nodes were looked at without the index.
        std::optional<PodClassIndex> index;
        bool has_few_layers = true;
    };
    /// The default constraints of pods with these labels and this owner.
    struct Defaults {
        std::string name_space;
        Labels labels;
        std::optional<Owner> controller;
        std::vector<SpreadConstraint> constraints;
    };

    [[nodiscard]] const std::vector<SpreadConstraint>& constraints_of(const Pod& pod);
    [[nodiscard]] Class& class_of(const Pod& pod);
    [[nodiscard]] bool is_alone(const Pod& pod, std::optional<Company>& known) const;
    [[nodiscard]] std::optional<Choice> choose_by_index(Class& kind);

    Cluster& cluster_;
    std::list<Class> classes_;          ///< The one that was asked for last comes first.
    std::optional<Defaults> defaults_;  ///< The last pod without constraints has these.
};

}  // namespace berth::core::kube
