#include "core/device_allocator/label_selector.hpp"

#include <algorithm>

namespace berth::core {
namespace {

bool holds(const LabelSelector::Expression& expression, const Labels& labels) {
    const auto label = labels.find(expression.key);
    const bool present = label != labels.end();
    const auto listed = [&] {
        return std::ranges::find(expression.values, label->second) != expression.values.end();
    };
    switch (expression.op) {
        case LabelSelector::Operator::in:
            return present && listed();
        case LabelSelector::Operator::not_in:
            return !present || !listed();
        case LabelSelector::Operator::exists:
            return present;
        case LabelSelector::Operator::does_not_exist:
            return !present;
    }
    return false;
}

}  // namespace

bool matches(const LabelSelector& selector, const Labels& labels) {
    const auto same = [&](const auto& wanted) {
        const auto label = labels.find(wanted.first);
        return label != labels.end() && label->second == wanted.second;
    };
    return std::ranges::all_of(selector.match_labels, same) &&
           std::ranges::all_of(selector.match_expressions, [&](const LabelSelector::Expression& e) {
               return holds(e, labels);
           });
}

}  // namespace berth::core
