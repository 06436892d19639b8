#include "experiments/program/support/node_rule_fields.hpp"

namespace berth::experiments {

std::vector<core::Taint> read_taints(const RequestField& taints) {
    std::vector<core::Taint> read;
    for (const RequestField& taint : taints.items()) {
        read.push_back(
            {taint["key"].text_or(""), taint["value"].text_or(""), taint["effect"].text_or("")});
    }
    return read;
}

std::vector<core::Toleration> read_tolerations(const RequestField& list) {
    std::vector<core::Toleration> read;
    for (const RequestField& item : list.items()) {
        core::Toleration& toleration = read.emplace_back();
        toleration.key = item["key"].text_or("");
        toleration.value = item["value"].text_or("");
        toleration.effect = item["effect"].text_or("");
        const RequestField op = item["operator"];
        if (op.is_present() && !op.text().empty()) {
            toleration.op =
                static_cast<core::Toleration::Operator>(op.choice({"Equal", "Exists", "Lt", "Gt"}));
        }
    }
    return read;
}

std::vector<core::LabelExpression> read_expressions(const RequestField& list) {
    std::vector<core::LabelExpression> read;
    for (const RequestField& item : list.items()) {
        const auto op = static_cast<core::LabelExpression::Operator>(
            item["operator"].choice({"In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"}));
        read.push_back({item["key"].text(), op, item["values"].texts()});
    }
    return read;
}

core::NodeSelectorTerm read_node_selector_term(const RequestField& term) {
    return {read_expressions(term["matchExpressions"]), read_expressions(term["matchFields"])};
}

}  // namespace berth::experiments
