#include "schedulers/kube/decide/label_selector.hpp"

#include <algorithm>

namespace berth::core::kube {
namespace {

/// Whether a condition on a field of the node holds. Every field but the name is empty.
bool field_holds(const LabelExpression& field, const std::string& name) {
    const bool equal =
        field.values.front() == (field.key == "metadata.name" ? name : std::string());
    return equal == (field.op == LabelExpression::Operator::in);
}

}  // namespace

bool LabelSelector::matches(const Labels& labels) const {
    return !matches_nothing_ &&
           std::ranges::all_of(conditions_, [&](const LabelExpression& condition) {
               return holds(condition, labels);
           });
}

bool matches(const NodeTerm& term, const Labels& labels, const std::string& name) {
    if (term.is_empty() || !term.fault.empty()) {
        return false;
    }
    return std::ranges::all_of(
               term.conditions.expressions,
               [&](const LabelExpression& condition) { return holds(condition, labels); }) &&
           std::ranges::all_of(term.conditions.fields, [&](const LabelExpression& field) {
               return field_holds(field, name);
           });
}

bool matches(std::span<const NodeTerm> terms, const Labels& labels, const std::string& name) {
    return std::ranges::any_of(terms,
                               [&](const NodeTerm& term) { return matches(term, labels, name); });
}

}  // namespace berth::core::kube
