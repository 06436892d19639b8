#include "core/node_rules/node_affinity.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/node_rules/labels.hpp"
#include "core/support/parse_number.hpp"

namespace berth::core {
namespace {

/// How two texts compare as whole numbers; nothing if one of them is not a whole number.
std::optional<std::strong_ordering> compare_numbers(std::string_view a, std::string_view b) {
    const auto first = parse_number<std::int64_t>(a);
    const auto second = parse_number<std::int64_t>(b);
    return first && second ? std::optional(*first <=> *second) : std::nullopt;
}

/// Why an operator does not accept its values; empty if it does.
std::string_view why_not_taken(LabelExpression::Operator op, std::span<const std::string> values) {
    using Operator = LabelExpression::Operator;
    switch (op) {
        case Operator::in:
        case Operator::not_in:
            return values.empty() ? "for 'in', 'notin' operators, values set can't be empty" : "";
        case Operator::exists:
        case Operator::does_not_exist:
            return values.empty() ? "" : "values set must be empty for exists and does not exist";
        case Operator::greater:
        case Operator::less:
            break;
    }
    if (values.size() != 1) {
        return "for 'Gt', 'Lt' operators, exactly one value is required";
    }
    return parse_number<std::int64_t>(values.front())
               ? ""
               : "for 'Gt', 'Lt' operators, the value must be an integer";
}

std::string why_invalid(std::string_view key,
                        LabelExpression::Operator op,
                        std::span<const std::string> values) {
    std::string_view why = why_not_taken(op, values);
    if (!is_label_key(key)) {
        why = "no label has such a key";
    } else if (why.empty() && !std::ranges::all_of(values, is_label_value)) {
        why = "no label has such a value";
    }
    return why.empty() ? "" : fmt::format("{}: {}", key, why);
}

}  // namespace

std::string why_invalid(const Labels& selector) {
    for (const auto& [key, value] : selector) {
        std::string why = why_invalid(key, LabelExpression::Operator::in, std::span(&value, 1));
        if (!why.empty()) {
            return why;
        }
    }
    return "";
}

std::string why_invalid(const NodeSelectorTerm& term) {
    for (const LabelExpression& expression : term.expressions) {
        std::string why = why_invalid(expression.key, expression.op, expression.values);
        if (!why.empty()) {
            return why;
        }
    }
    for (const LabelExpression& field : term.fields) {
        const bool is_equality = field.op == LabelExpression::Operator::in ||
                                 field.op == LabelExpression::Operator::not_in;
        if (!is_equality || field.values.size() != 1) {
            return fmt::format("{}: must have one element, for In or NotIn", field.key);
        }
    }
    return "";
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

}  // namespace berth::core
