#include "experiments/program/requests/kueue_fields.hpp"

#include <fmt/format.h>

#include "core/support/text.hpp"

namespace berth::experiments {

namespace kueue = core::kueue;

kueue::FeatureGates read_feature_gates(const RequestField& gates) {
    kueue::FeatureGates read;
    for (const auto& [name, value] : gates.entries()) {
        const auto gate = kueue::find_feature_gate(name);
        if (!gate) {
            throw RequestError(fmt::format("unknown feature gate '{}': expected {}",
                                           name,
                                           core::join(kueue::feature_gate_names(), ", ")));
        }
        const bool open = value.boolean_or(read[*gate]);
        if (open && *gate == kueue::FeatureGate::scheduler_library_integration) {
            value.fail("false: what that library decides is not simulated");
        }
        read.set(*gate, open);
    }
    return read;
}

std::vector<kueue::Taint> read_taints(const RequestField& taints) {
    std::vector<kueue::Taint> read;
    for (const RequestField& taint : taints.items()) {
        read.push_back(
            {taint["key"].text_or(""), taint["value"].text_or(""), taint["effect"].text_or("")});
    }
    return read;
}

std::vector<kueue::Toleration> read_tolerations(const RequestField& list) {
    std::vector<kueue::Toleration> read;
    for (const RequestField& item : list.items()) {
        kueue::Toleration& toleration = read.emplace_back();
        toleration.key = item["key"].text_or("");
        toleration.value = item["value"].text_or("");
        toleration.effect = item["effect"].text_or("");
        const RequestField op = item["operator"];
        if (op.is_present() && !op.text().empty()) {
            toleration.op = static_cast<kueue::Toleration::Operator>(
                op.choice({"Equal", "Exists", "Lt", "Gt"}));
        }
    }
    return read;
}

std::vector<kueue::LabelExpression> read_expressions(const RequestField& list) {
    std::vector<kueue::LabelExpression> read;
    for (const RequestField& item : list.items()) {
        const auto op = static_cast<kueue::LabelExpression::Operator>(
            item["operator"].choice({"In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"}));
        read.push_back({item["key"].text(), op, item["values"].texts()});
    }
    return read;
}

kueue::NodeSelectorTerm read_node_selector_term(const RequestField& term) {
    return {read_expressions(term["matchExpressions"]), read_expressions(term["matchFields"])};
}

}  // namespace berth::experiments
