#include "core/node_rules/read_node_rules.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/node_rules/labels.hpp"

namespace berth::core {
namespace {

using Operator = LabelExpression::Operator;

const std::vector<std::string> effects{"NoSchedule", "PreferNoSchedule", "NoExecute"};

/// The items of a list. Errors: recorded if it is something else.
const std::vector<Value>& items_of(const Value* list,
                                   std::string_view what,
                                   Diagnostics& diagnostics) {
    static const std::vector<Value> none;
    if (list != nullptr && !list->is_list()) {
        expected(*list, fmt::format("a list of {}", what), diagnostics);
    }
    return list != nullptr ? list->items : none;
}

/// Whether there is a value. Kubernetes takes an empty text for none.
bool is_given(const Value* value) {
    return value != nullptr && (!value->is_scalar() || !value->text.empty());
}

/// The effect under its key; empty if there is none. Errors: recorded.
std::string effect_of(MapReader& map) {
    return is_given(map.take("effect")) ? effects[map.choice("effect", effects, 0)] : "";
}

/// What is expected in place of the values of a condition; empty if they are right.
std::string_view wanted_values(Operator op, std::size_t values) {
    switch (op) {
        case Operator::in:
        case Operator::not_in:
            return values > 0 ? "" : "values, one at least for In and NotIn";
        case Operator::exists:
        case Operator::does_not_exist:
            return values == 0 ? "" : "no values for Exists and DoesNotExist";
        case Operator::greater:
        case Operator::less:
            break;
    }
    return values == 1 ? "" : "one value for Gt and Lt";
}

class ConditionReader {
public:
    ConditionReader(bool of_fields, Diagnostics& diagnostics)
        : of_fields_(of_fields), diagnostics_(diagnostics) {}

    LabelExpression read(const Value& item) {
        MapReader map(item, of_fields_ ? "a condition on fields" : "a condition", diagnostics_);
        LabelExpression one;
        if (const Value* key = map.need("key")) {
            check_key(*key);
            one.key = key->text;
        }
        const std::vector<std::string> operators =
            of_fields_
                ? std::vector<std::string>{"In", "NotIn"}
                : std::vector<std::string>{"In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"};
        const bool stated = map.need("operator") != nullptr;
        one.op = static_cast<Operator>(map.choice("operator", operators, 0));
        const Value* values = map.take("values");
        map.report_unknown_keys();
        for (const Value& value : items_of(values, "values", diagnostics_)) {
            one.values.push_back(read_text(value, diagnostics_).value_or(""));
        }
        if (stated) {
            check_values(one, values != nullptr ? *values : item);
        }
        return one;
    }

private:
    void check_key(const Value& key) {
        if (!of_fields_) {
            check_label_key(key, diagnostics_);
        } else if (key.text != "metadata.name") {
            expected(key, "metadata.name", diagnostics_);
        }
    }

    void check_values(const LabelExpression& one, const Value& at) {
        const std::string_view wanted = of_fields_ && one.values.size() != 1
                                            ? "one value, the name of a node"
                                            : wanted_values(one.op, one.values.size());
        if (!wanted.empty()) {
            expected(at, wanted, diagnostics_);
        }
    }

    bool of_fields_;
    Diagnostics& diagnostics_;
};

std::vector<LabelExpression> read_conditions(const Value* list,
                                             bool of_fields,
                                             Diagnostics& diagnostics) {
    std::vector<LabelExpression> conditions;
    for (const Value& item : items_of(list, "conditions", diagnostics)) {
        conditions.push_back(ConditionReader(of_fields, diagnostics).read(item));
    }
    return conditions;
}

std::vector<NodeSelectorTerm> read_terms(const Value& required, Diagnostics& diagnostics) {
    MapReader map(required, "required node affinity", diagnostics);
    const Value* list = map.need("nodeSelectorTerms");
    map.report_unknown_keys();
    std::vector<NodeSelectorTerm> terms;
    for (const Value& item : items_of(list, "terms", diagnostics)) {
        MapReader fields(item, "a term", diagnostics);
        const Value* expressions = fields.take("matchExpressions");
        const Value* names = fields.take("matchFields");
        fields.report_unknown_keys();
        NodeSelectorTerm term{read_conditions(expressions, false, diagnostics),
                              read_conditions(names, true, diagnostics)};
        if (why_invalid(term).empty()) {
            terms.push_back(std::move(term));
        }
    }
    return terms;
}

/// The required part of affinity; nullptr if there is none.
const Value* required_of(const Value& affinity, Diagnostics& diagnostics) {
    MapReader map(affinity, "affinity", diagnostics);
    const Value* of_nodes = map.take("nodeAffinity");
    (void)map.take("podAffinity");
    (void)map.take("podAntiAffinity");
    map.report_unknown_keys();
    if (of_nodes == nullptr) {
        return nullptr;
    }
    MapReader fields(*of_nodes, "nodeAffinity", diagnostics);
    const Value* required = fields.take("requiredDuringSchedulingIgnoredDuringExecution");
    (void)fields.take("preferredDuringSchedulingIgnoredDuringExecution");
    fields.report_unknown_keys();
    return required;
}

/// The value under a key of a pod's spec; nullptr if it is missing or null.
const Value* stated(const Value& spec, std::string_view key) {
    const Value* value = spec.find(key);
    return value == nullptr || value->kind == Value::Kind::null ? nullptr : value;
}

}  // namespace

PodNodeRules read_node_rules(const Value& spec, Diagnostics& diagnostics) {
    PodNodeRules rules;
    if (const Value* selector = stated(spec, "nodeSelector")) {
        rules.selector = read_labels(*selector, diagnostics);
    }
    if (const Value* affinity = stated(spec, "affinity")) {
        if (const Value* required = required_of(*affinity, diagnostics)) {
            rules.required = read_terms(*required, diagnostics);
        }
    }
    for (const Value& item : items_of(stated(spec, "tolerations"), "tolerations", diagnostics)) {
        Toleration toleration = read_toleration(item, diagnostics);
        // The other operators are behind a feature gate.
        if (toleration.op == Toleration::Operator::equal ||
            toleration.op == Toleration::Operator::exists) {
            rules.tolerations.push_back(std::move(toleration));
        }
    }
    return rules;
}

Toleration read_toleration(const Value& value, Diagnostics& diagnostics) {
    MapReader map(value, "a toleration", diagnostics);
    Toleration toleration;
    const Value* key = map.take("key");
    toleration.key = key != nullptr ? key->text : "";
    if (is_given(map.take("operator"))) {
        toleration.op = static_cast<Toleration::Operator>(
            map.choice("operator", {"Equal", "Exists", "Lt", "Gt"}, 0));
    }
    const Value* wanted = map.take("value");
    toleration.value = wanted != nullptr ? wanted->text : "";
    toleration.effect = effect_of(map);
    (void)map.take("tolerationSeconds");  // no pod of a run is evicted by a taint
    map.report_unknown_keys();
    const bool exists = toleration.op == Toleration::Operator::exists;
    if (is_given(key)) {
        check_label_key(*key, diagnostics);
    } else if (!exists) {
        expected(value, "a key, or operator Exists for every key", diagnostics);
    }
    if (exists && is_given(wanted)) {
        expected(*wanted, "no value for operator Exists", diagnostics);
    } else if (wanted != nullptr && toleration.op == Toleration::Operator::equal) {
        check_label_value(*wanted, diagnostics);
    }
    return toleration;
}

Taint read_taint(const Value& value, Diagnostics& diagnostics) {
    MapReader map(value, "a taint", diagnostics);
    Taint taint;
    if (const Value* key = map.need("key")) {
        check_label_key(*key, diagnostics);
        taint.key = key->text;
    }
    const Value* of_key = map.take("value");
    if (of_key != nullptr && check_label_value(*of_key, diagnostics)) {
        taint.value = of_key->text;
    }
    (void)map.need("effect");
    taint.effect = effect_of(map);
    (void)map.take("timeAdded");
    map.report_unknown_keys();
    return taint;
}

}  // namespace berth::core
