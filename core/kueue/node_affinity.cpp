#include "core/kueue/node_affinity.hpp"

#include <algorithm>

#include "core/support/parse_number.hpp"

namespace berth::core::kueue {
namespace {

/// How two texts compare as whole numbers, unless one of them is none.
std::optional<std::strong_ordering> compare_numbers(std::string_view a, std::string_view b) {
    const auto first = parse_number<std::int64_t>(a);
    const auto second = parse_number<std::int64_t>(b);
    return first && second ? std::optional(*first <=> *second) : std::nullopt;
}

bool tolerates(const Toleration& toleration, const Taint& taint, TaintOf of) {
    if ((!toleration.effect.empty() && toleration.effect != taint.effect) ||
        (!toleration.key.empty() && toleration.key != taint.key)) {
        return false;
    }
    switch (toleration.op) {
        case Toleration::Operator::exists:
            return true;
        case Toleration::Operator::equal:
            return toleration.value == taint.value &&
                   (of == TaintOf::node || !toleration.key.empty() || !toleration.value.empty());
        case Toleration::Operator::less:
        case Toleration::Operator::greater: {
            const auto order = compare_numbers(taint.value, toleration.value);
            return of == TaintOf::node && order &&
                   (toleration.op == Toleration::Operator::less ? *order < 0 : *order > 0);
        }
    }
    return false;
}

}  // namespace

const Taint* find_untolerated(std::span<const Taint> taints,
                              std::span<const Toleration> tolerations,
                              TaintOf of) {
    const auto found = std::ranges::find_if(taints, [&](const Taint& taint) {
        return taint.repels() &&
               std::ranges::none_of(tolerations, [&](const Toleration& toleration) {
                   return tolerates(toleration, taint, of);
               });
    });
    return found == taints.end() ? nullptr : &*found;
}

bool holds(const LabelExpression& expression, const Labels& labels) {
    using Operator = LabelExpression::Operator;
    const auto label = labels.find(expression.key);
    const bool present = label != labels.end();
    const auto listed = [&] {
        return present &&
               std::ranges::find(expression.values, label->second) != expression.values.end();
    };
    switch (expression.op) {
        case Operator::in:
            return listed();
        case Operator::not_in:
            return !listed();
        case Operator::exists:
            return present;
        case Operator::does_not_exist:
            return !present;
        case Operator::greater:
        case Operator::less: {
            if (!present || expression.values.empty()) {
                return false;
            }
            const auto order = compare_numbers(label->second, expression.values.front());
            return order && (expression.op == Operator::greater ? *order > 0 : *order < 0);
        }
    }
    return false;
}

bool holds(const NodeSelectorTerm& term, const Labels& labels, std::string_view node_name) {
    const Labels fields{{"metadata.name", std::string(node_name)}};
    const auto in = [](const Labels& where) {
        return [&where](const LabelExpression& expression) { return holds(expression, where); };
    };
    return !(term.expressions.empty() && term.fields.empty()) &&
           std::ranges::all_of(term.expressions, in(labels)) &&
           std::ranges::all_of(term.fields, in(fields));
}

}  // namespace berth::core::kueue
