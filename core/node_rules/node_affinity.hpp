#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/tree/device_names.hpp"

namespace berth::core {

/// A taint of a node or of a flavor's nodes.
struct Taint {
    std::string key;
    std::string value;
    std::string effect;

    /// Whether the taint keeps pods away, and does not only advise against the node.
    [[nodiscard]] bool repels() const { return effect == "NoSchedule" || effect == "NoExecute"; }
};

struct Toleration {
    enum class Operator : std::uint8_t { equal, exists, less, greater };
    std::string key;  ///< Empty: any key.
    Operator op = Operator::equal;
    std::string value;
    std::string effect;  ///< Empty: any effect.
    friend bool operator==(const Toleration&, const Toleration&) = default;
};

/// Whether taints are those of a flavor or of a node. For a flavor's taints, numbers are not
/// compared, and an empty toleration tolerates nothing.
enum class TaintOf : std::uint8_t { flavor, node };

/// Whether a toleration tolerates a taint.
[[nodiscard]] bool tolerates(const Toleration& toleration, const Taint& taint, TaintOf of);

/// The first taint that repels pods and that none of the tolerations tolerates.
[[nodiscard]] const Taint* find_untolerated(std::span<const Taint> taints,
                                            std::span<const Toleration> tolerations,
                                            TaintOf of);

/// One condition on a label.
struct LabelExpression {
    enum class Operator : std::uint8_t { in, not_in, exists, does_not_exist, greater, less };
    std::string key;
    Operator op = Operator::exists;
    std::vector<std::string> values;  ///< For greater and less, only the first value counts.
    friend auto operator<=>(const LabelExpression&, const LabelExpression&) = default;
};

/// Conditions on a node's labels and name that must all hold.
struct NodeSelectorTerm {
    std::vector<LabelExpression> expressions;
    std::vector<LabelExpression> fields;  ///< Conditions on `metadata.name`.
    friend bool operator==(const NodeSelectorTerm&, const NodeSelectorTerm&) = default;
};

/// Why Kubernetes does not accept labels as a selector, or a term, with the key that is at fault;
/// empty if it does.
/// Source: Kubernetes, apimachinery/pkg/labels/selector.go, component-helpers/.../nodeaffinity.go.
[[nodiscard]] std::string why_invalid(const Labels& selector);
[[nodiscard]] std::string why_invalid(const NodeSelectorTerm& term);

[[nodiscard]] bool holds(const LabelExpression& expression, const Labels& labels);
/// What a pod's spec says about the nodes on which it may run.
struct PodNodeRules {
    Labels selector;  ///< The `nodeSelector`: a node must have all of these labels.
    /// The required node affinity, of which one term must hold; nothing: none is required.
    std::optional<std::vector<NodeSelectorTerm>> required;
    std::vector<Toleration> tolerations;
};

/// Whether all conditions of a term hold. A term without conditions never holds.
[[nodiscard]] bool holds(const NodeSelectorTerm& term,
                         const Labels& labels,
                         std::string_view node_name);

}  // namespace berth::core
