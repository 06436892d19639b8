#pragma once

#include <compare>
#include <span>
#include <string>
#include <vector>

#include "core/node_rules/node_affinity.hpp"

namespace berth::core::kube {

/// A selector of pods or namespaces by their labels. A selector that an object leaves out matches
/// nothing, and an empty one matches everything.
class LabelSelector {
public:
    /// Matches nothing.
    LabelSelector() = default;
    /// Matches labels for which all conditions hold.
    explicit LabelSelector(std::vector<LabelExpression> conditions)
        : matches_nothing_(false), conditions_(std::move(conditions)) {}

    [[nodiscard]] bool matches(const Labels& labels) const;
    [[nodiscard]] bool matches_nothing() const { return matches_nothing_; }
    [[nodiscard]] bool matches_everything() const {
        return !matches_nothing_ && conditions_.empty();
    }
    [[nodiscard]] const std::vector<LabelExpression>& conditions() const { return conditions_; }
    friend auto operator<=>(const LabelSelector&, const LabelSelector&) = default;

private:
    bool matches_nothing_ = true;
    std::vector<LabelExpression> conditions_;
};

/// A term of node affinity. One that kube-scheduler cannot parse is kept, since what it does with
/// it depends on the place: a required term matches no node, and a preferred one is an error.
struct NodeTerm {
    NodeSelectorTerm conditions;
    std::string fault;  ///< Why kube-scheduler cannot parse the term; empty if it can.

    [[nodiscard]] bool is_empty() const {
        return conditions.expressions.empty() && conditions.fields.empty();
    }
    friend bool operator==(const NodeTerm&, const NodeTerm&) = default;
};

using NodeTerms = std::vector<NodeTerm>;

/// Whether a node matches a term, or one of the terms. An empty term matches no node.
[[nodiscard]] bool matches(const NodeTerm& term, const Labels& labels, const std::string& name);
[[nodiscard]] bool matches(std::span<const NodeTerm> terms,
                           const Labels& labels,
                           const std::string& name);

}  // namespace berth::core::kube
