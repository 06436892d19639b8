#include "experiments/program/config/workload/pod_nodes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <span>
#include <utility>

#include "core/node_rules/read_node_rules.hpp"
#include "core/support/text.hpp"
#include "experiments/program/config/cluster/node_objects.hpp"
#include "experiments/program/config/cluster/read_node_list.hpp"
#include "experiments/program/config/document/value_below.hpp"

namespace berth::experiments {
namespace {

using core::Value;

constexpr std::array<std::string_view, 6> operators{
    "In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"};

/// What a scheduler that reads pods itself reads of their metadata.
constexpr std::array read_metadata{"namespace", "labels", "ownerReferences"};

std::string text_of(const core::LabelExpression& one) {
    const auto op = operators[static_cast<std::size_t>(one.op)];
    return one.values.empty()
               ? fmt::format("{} {}", one.key, op)
               : fmt::format("{} {} ({})", one.key, op, core::join(one.values, ", "));
}

/// Writes rules as `pool=h100; zone In (a, b) and gpu Exists, or metadata.name In (n)`.
std::string text_of(const core::PodNodeRules& rules) {
    std::vector<std::string> parts;
    for (const auto& [key, value] : rules.selector) {
        parts.push_back(fmt::format("{}={}", key, value));
    }
    if (rules.required) {
        std::vector<std::string> terms;
        for (const core::NodeSelectorTerm& term : *rules.required) {
            std::vector<std::string> conditions;
            for (const auto* list : {&term.expressions, &term.fields}) {
                std::ranges::transform(*list, std::back_inserter(conditions), [](const auto& one) {
                    return text_of(one);
                });
            }
            if (!conditions.empty()) {  // a term without conditions holds nowhere
                terms.push_back(core::join(conditions, " and "));
            }
        }
        parts.push_back(terms.empty() ? "no term that can hold" : core::join(terms, ", or "));
    }
    return core::join(parts, "; ");
}

/// Appends a text in a way in which two lists of texts that differ become different texts.
void append_text(std::string_view text, std::string& out) {
    out += fmt::format("{}:", text.size());
    out += text;
}

/// Appends a value as text, which is equal only for equal values.
void append_written(const Value& value, std::string& out) {
    append_text(value.text, out);
    out += fmt::format(
        "{},{},{};", static_cast<int>(value.kind), value.members.size(), value.items.size());
    for (const core::Member& member : value.members) {
        append_text(member.key, out);
        append_written(member.value, out);
    }
    for (const Value& item : value.items) {
        append_written(item, out);
    }
}

void append_key(const std::vector<core::LabelExpression>& conditions, std::string& out) {
    out += fmt::format("{};", conditions.size());
    for (const core::LabelExpression& one : conditions) {
        append_text(one.key, out);
        out += fmt::format("{},{};", static_cast<int>(one.op), one.values.size());
        for (const std::string& value : one.values) {
            append_text(value, out);
        }
    }
}

/// A text that is equal only for equal selectors and required affinity.
std::string key_of(const core::Labels& selector,
                   const std::optional<std::vector<core::NodeSelectorTerm>>& required) {
    std::string key = fmt::format("{},{};", selector.size(), required ? required->size() + 1 : 0);
    for (const auto& [label, value] : selector) {
        append_text(label, key);
        append_text(value, key);
    }
    for (std::size_t i = 0; required && i < required->size(); ++i) {
        append_key((*required)[i].expressions, key);
        append_key((*required)[i].fields, key);
    }
    return key;
}

/// A text that is equal only for equal tolerations.
std::string key_of(const std::vector<core::Toleration>& tolerations) {
    std::string key;
    for (const core::Toleration& one : tolerations) {
        append_text(one.key, key);
        key += fmt::format("{};", static_cast<int>(one.op));
        append_text(one.value, key);
        append_text(one.effect, key);
    }
    return key;
}

/// Refuses containers that use a claim which their pod does not have.
void check_claims_of_containers(const Value& spec, core::Diagnostics& diagnostics) {
    std::set<std::string> known;
    const Value* claims = value_below(spec, {"resourceClaims"});
    for (std::size_t i = 0; claims != nullptr && i < claims->items.size(); ++i) {
        known.insert(text_below(claims->items[i], {"name"}));
    }
    for (const char* key : {"containers", "initContainers"}) {
        const Value* containers = value_below(spec, {key});
        for (std::size_t i = 0; containers != nullptr && i < containers->items.size(); ++i) {
            const Value* used = value_below(containers->items[i], {"resources", "claims"});
            for (std::size_t k = 0; used != nullptr && k < used->items.size(); ++k) {
                if (!known.contains(text_below(used->items[k], {"name"}))) {
                    core::expected(
                        used->items[k], "the name of one of the pod's resourceClaims", diagnostics);
                }
            }
        }
    }
}

void both(std::vector<bool>& all, const std::vector<bool>& more) {
    for (std::size_t i = 0; i < all.size(); ++i) {
        all[i] = all[i] && more[i];
    }
}

}  // namespace

void PodNodes::Counted::add(std::uint64_t more,
                            const core::SourceSpan& span,
                            const std::string& text) {
    if (pods == 0) {
        first = span;
        example = text;
    }
    pods += more;
}

PodNodes::PodNodes(const core::Topology& tree,
                   const Value& topology,
                   core::Diagnostics& diagnostics)
    : tree_(tree), diagnostics_(diagnostics), knows_labels_(core::knows_labels(tree)) {
    read_taints(topology);
}

std::optional<core::ServerId> PodNodes::server(std::string_view name) {
    if (servers_.empty()) {
        servers_ = tree_.servers_by_name();
    }
    const auto found = servers_.find(name);
    return found == servers_.end() ? std::nullopt : std::optional(found->second);
}

void PodNodes::read_taints(const Value& topology) {
    std::map<std::string, std::uint32_t> known{{"", 0}};
    sim::ServerTaints all;
    all.lists.emplace_back();
    all.of.assign(tree_.server_count(), 0);
    const auto read = [&](const Value& node, std::span<const std::string> names) {
        const Value* list = value_below(node, {"spec", "taints"});
        if (list == nullptr) {
            return;
        }
        std::vector<core::Taint> taints;
        std::string text;
        for (const Value& item : list->items) {
            core::Diagnostics told_already;  // with the node
            core::Taint taint = core::read_taint(item, told_already);
            if (taint.repels() && !is_of_absence(taint.key)) {
                for (const std::string& part : {taint.key, taint.value, taint.effect}) {
                    append_text(part, text);
                }
                taints.push_back(std::move(taint));
            }
        }
        const auto [at, fresh] = known.emplace(text, static_cast<std::uint32_t>(all.lists.size()));
        if (fresh) {
            all.lists.push_back(std::move(taints));
        }
        for (const std::string& name : names) {
            if (const auto tainted = server(name)) {
                all.of[tainted->index] = at->second;
            }
        }
    };
    for (const Value* node : node_objects(topology)) {
        const std::string name = text_below(*node, {"metadata", "name"});
        read(*node, {&name, 1});
    }
    if (const Value* add = value_below(topology, {"nodes", "add"})) {
        core::Diagnostics told_already;
        const Value& document = *value_below(topology, {"nodes", "document"});
        for (const auto& copies : read_added_nodes(*add, document, told_already)) {
            read(copies.node, copies.names);
        }
    }
    taints_ = std::make_shared<const sim::ServerTaints>(std::move(all));
}

std::vector<bool> PodNodes::matching_name(const core::LabelExpression& one) {
    const bool in = one.op == core::LabelExpression::Operator::in;
    std::vector<bool> servers(tree_.server_count(), !in);
    const auto named = server(one.values.front());
    if (one.key == "metadata.name" && named) {
        servers[named->index] = in;
    }
    return servers;
}

const std::vector<bool>& PodNodes::matching(const core::LabelExpression& one) {
    const auto [at, fresh] = conditions_.try_emplace(one);
    if (fresh) {
        const bool without = core::holds(one, {});
        at->second = core::servers_where(tree_, one.key, [&](const std::string& value) {
            return core::holds(one, {{one.key, value}}) != without;
        });
        if (without) {
            at->second.flip();
        }
    }
    return at->second;
}

std::vector<bool> PodNodes::matching(const core::PodNodeRules& rules) {
    using Operator = core::LabelExpression::Operator;
    std::vector<bool> servers(tree_.server_count(), true);
    for (const auto& [key, value] : rules.selector) {
        both(servers, matching({key, Operator::in, {value}}));
    }
    if (!rules.required) {
        return servers;
    }
    std::vector<bool> any(servers.size());
    for (const core::NodeSelectorTerm& term : *rules.required) {
        std::vector<bool> all(servers.size(), !(term.expressions.empty() && term.fields.empty()));
        for (const core::LabelExpression& one : term.expressions) {
            both(all, matching(one));
        }
        for (const core::LabelExpression& one : term.fields) {
            both(all, matching_name(one));
        }
        for (std::size_t i = 0; i < any.size(); ++i) {
            any[i] = any[i] || all[i];
        }
    }
    both(servers, any);
    return servers;
}

PodNodes::Known PodNodes::look(const Value& spec, std::string_view node) {
    core::PodNodeRules rules = core::read_node_rules(spec, diagnostics_);
    if (!node.empty()) {
        rules.required = {
            {{{}, {{"metadata.name", core::LabelExpression::Operator::in, {std::string(node)}}}}}};
    }
    Known known;
    known.text = text_of(rules);
    known.unlabelled = !knows_labels_ && !known.text.empty() && node.empty();
    if (known.unlabelled) {
        rules.selector.clear();
        rules.required.reset();
    }
    const bool tainted = !taints_->untolerated(rules.tolerations).empty();
    const std::string asked = text_of(rules);
    if (asked.empty() && !tainted) {
        return known;
    }
    std::string text = asked;
    std::ranges::replace(text, '\n', ' ');
    text += '\n' + key_of(rules.selector, rules.required);
    text += tainted ? "untolerated" + key_of(rules.tolerations) : "";
    std::vector<bool> labelled = matching(rules);
    known.selector = std::make_shared<const sim::NodeSelector>(
        std::move(text), std::move(labelled), taints_, std::move(rules));
    known.nowhere = known.selector->selects_nothing();
    known.repelled = known.nowhere && !known.selector->whatever_taints().selects_nothing();
    return known;
}

std::shared_ptr<const sim::NodeSelector> PodNodes::of(const Value& spec,
                                                      const core::SourceSpan& span,
                                                      std::string_view node,
                                                      std::uint64_t pods,
                                                      const Value* metadata) {
    count_what_is_not_modelled(spec, span, pods, metadata != nullptr);
    if (knows_devices()) {
        check_claims_of_containers(spec, diagnostics_);
    }
    std::string written(node);  // equal specs are evaluated once
    const auto append = [&](const Value* value) {
        written += '\n';
        if (value != nullptr) {
            append_written(*value, written);
        }
    };
    for (const char* part : {"nodeSelector", "affinity", "tolerations"}) {
        append(value_below(spec, {part}));
    }
    if (reads_pods()) {
        append(value_below(spec, {"topologySpreadConstraints"}));
        append(value_below(spec, {"preemptionPolicy"}));
        append(value_below(spec, {"schedulingGroup"}));
        append(value_below(spec, {"resourceClaims"}));
        for (const char* part : read_metadata) {
            append(metadata != nullptr ? value_below(*metadata, {part}) : nullptr);
        }
    }
    const auto [at, fresh] = known_.try_emplace(std::move(written));
    if (fresh && reads_pods()) {
        at->second.selector = with_template(spec, node, metadata, at->first);
    } else if (fresh) {
        at->second = look(spec, node);
    }
    const Known& known = at->second;
    if (known.unlabelled) {
        unlabelled_.add(pods, span, known.text);
    }
    if (known.nowhere) {
        (known.repelled ? repelled_ : nowhere_)
            .add(pods,
                 span,
                 known.text.empty() ? "no toleration of the taints of all nodes" : known.text);
    }
    return known.selector;
}

/// A selector of all servers, with what a scheduler reads of pods that say this. It alone decides
/// where they run, since its nodes may have other labels and taints than the servers here.
std::shared_ptr<const sim::NodeSelector> PodNodes::with_template(const Value& spec,
                                                                 std::string_view node,
                                                                 const Value* metadata,
                                                                 const std::string& written) {
    Value pod{Value::Kind::map, {}, {}, {}, spec.span};
    Value of_pod{Value::Kind::map, {}, {}, {}, spec.span};
    of_pod.members.push_back({"name", spec.span, {Value::Kind::scalar, "pod", {}, {}, spec.span}});
    for (const char* part : read_metadata) {
        if (const Value* value = metadata != nullptr ? value_below(*metadata, {part}) : nullptr) {
            of_pod.members.push_back({part, value->span, *value});
        }
    }
    pod.members.push_back({"metadata", spec.span, std::move(of_pod)});
    Value constraints{Value::Kind::map, {}, {}, {}, spec.span};
    const auto take = [&](const char* part) {
        if (const Value* value = value_below(spec, {part})) {
            constraints.members.push_back({part, value->span, *value});
        }
    };
    take("preemptionPolicy");
    take("nodeSelector");
    take("tolerations");
    take("affinity");
    if (metadata != nullptr) {
        take("topologySpreadConstraints");
        take("schedulingGroup");
        if (knows_devices()) {
            take("resourceClaims");
        }
    } else if (Value* affinity = constraints.find("affinity")) {
        // Without their labels, pods would not match what they say about each other.
        std::erase_if(affinity->members,
                      [](const core::Member& kind) { return kind.key != "nodeAffinity"; });
    }
    if (!node.empty()) {
        constraints.members.push_back(
            {"nodeName", spec.span, {Value::Kind::scalar, std::string(node), {}, {}, spec.span}});
    }
    pod.members.push_back({"spec", spec.span, std::move(constraints)});
    core::PodNodeRules rules = core::read_node_rules(spec, diagnostics_);
    auto read = reader_->read_pod(pod, diagnostics_);
    return read == nullptr ? nullptr
                           : std::make_shared<const sim::NodeSelector>(
                                 written, tree_.server_count(), std::move(read), std::move(rules));
}

void PodNodes::look_at_fields(const Value& pod) {
    Value rest = pod;
    if (Value* spec = reads_pods() ? rest.find("spec") : nullptr) {
        std::erase_if(spec->members, [](const core::Member& member) {
            return member.key == "affinity" || member.key == "preemptionPolicy";
        });
    }
    fields_.look_at(rest);
}

void PodNodes::count_what_is_not_modelled(const Value& spec,
                                          const core::SourceSpan& span,
                                          std::uint64_t pods,
                                          bool knows_metadata) {
    const auto count = [&](std::string_view what, std::initializer_list<std::string_view> keys) {
        const Value* found = value_below(spec, keys);
        if (found != nullptr && !(found->items.empty() && found->members.empty())) {
            not_modelled_[std::string(what)].add(pods, span, "");
        }
    };
    if (!knows_devices() || !knows_metadata) {
        count("resourceClaims", {"resourceClaims"});
    }
    if (reads_pods() && knows_metadata) {
        return;
    }
    count("podAffinity", {"affinity", "podAffinity"});
    count("podAntiAffinity", {"affinity", "podAntiAffinity"});
    count("topologySpreadConstraints", {"topologySpreadConstraints"});
}

void PodNodes::warn(bool tolerations_may_come) {
    if (!tolerations_may_come && repelled_.pods > 0) {
        nowhere_.add(repelled_.pods, repelled_.first, repelled_.example);
    }
    const auto pods = [](std::uint64_t count) {
        return fmt::format("{} pod{}", count, count == 1 ? "" : "s");
    };
    if (unlabelled_.pods > 0) {
        diagnostics_.warning(
            unlabelled_.first,
            fmt::format(
                "{} may go to nodes with certain labels alone ({}), and no server of this "
                "cluster has labels: they may go anywhere; expected labels on the nodes, or "
                "in machineTypes",
                pods(unlabelled_.pods),
                unlabelled_.example));
    }
    if (nowhere_.pods > 0) {
        diagnostics_.warning(nowhere_.first,
                             fmt::format("{} may run on no server of this cluster ({}): unless "
                                         "they run already, they never start",
                                         pods(nowhere_.pods),
                                         nowhere_.example));
    }
    fields_.warn("pod", diagnostics_);
    for (const auto& [what, counted] : not_modelled_) {
        diagnostics_.warning(
            counted.first,
            fmt::format("{} with {}, which is not modelled: it keeps no pod from any server{}",
                        pods(counted.pods),
                        what,
                        what == "resourceClaims"
                            ? fmt::format(", and holds no device; expected nvidia.com/gpu in the "
                                          "pod's requests{}",
                                          reads_pods() ? ", or ResourceSlices and ResourceClaims "
                                                         "in objects of the scheduler"
                                                       : "")
                            : ""));
    }
}

}  // namespace berth::experiments
