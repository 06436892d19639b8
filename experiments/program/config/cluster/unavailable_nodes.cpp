#include "experiments/program/config/cluster/unavailable_nodes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "core/support/text.hpp"
#include "experiments/program/config/cluster/node_objects.hpp"
#include "experiments/program/config/document/value_below.hpp"

namespace berth::experiments {
namespace {

using core::Value;

/// Why a node takes no pods, or "".
std::string fault_of(const Value& node) {
    if (text_below(node, {"spec", "unschedulable"}) == "true") {
        return "cordoned";
    }
    const Value* conditions = value_below(node, {"status", "conditions"});
    for (std::size_t i = 0; conditions != nullptr && i < conditions->items.size(); ++i) {
        const Value& condition = conditions->items[i];
        if (text_below(condition, {"type"}) == "Ready" &&
            text_below(condition, {"status"}) != "True") {
            return "not ready";
        }
    }
    return "";
}

/// A taint that keeps pods away and does not come from the node's own state; "" if there is none.
std::string taint_of(const Value& node) {
    const Value* taints = value_below(node, {"spec", "taints"});
    for (std::size_t i = 0; taints != nullptr && i < taints->items.size(); ++i) {
        const std::string key = text_below(taints->items[i], {"key"});
        const std::string effect = text_below(taints->items[i], {"effect"});
        if (!is_of_absence(key) && effect != "PreferNoSchedule") {
            const std::string value = text_below(taints->items[i], {"value"});
            return fmt::format("{}{}{}:{}", key, value.empty() ? "" : "=", value, effect);
        }
    }
    return "";
}

/// Joins names as `a, b, c and 4 more`.
std::string some_of(const std::vector<std::string>& names) {
    constexpr std::size_t shown_max = 5;
    const std::size_t shown = names.size() > shown_max + 1 ? shown_max : names.size();
    std::string out = core::join(std::span(names).first(shown), ", ");
    return shown == names.size() ? out : fmt::format("{} and {} more", out, names.size() - shown);
}

/// Removes the pods that run on these servers; the other pods of their jobs run on. Returns their
/// number.
std::size_t remove_pods_on(const std::set<core::ServerId>& servers, ExperimentSpec& spec) {
    std::size_t removed = 0;
    for (WorkloadSource& source : spec.workload) {
        auto* list = std::get_if<JobList>(&source.what);
        if (list == nullptr) {
            continue;
        }
        for (sim::Job& job : list->jobs) {
            const std::size_t gone =
                job.servers
                    ? std::erase_if(*job.servers,
                                    [&](core::ServerId server) { return servers.contains(server); })
                    : 0;
            removed += gone;
            if (gone > 0) {
                job.size = std::ssize(*job.servers);
                job.min_available = std::min(job.min_available, job.size);
            }
        }
        std::erase_if(list->jobs,
                      [](const sim::Job& job) { return job.servers && job.servers->empty(); });
    }
    return removed;
}

/// Whether a source is a trace whose pods say nothing about nodes.
bool is_trace_without_nodes(const WorkloadSource& source) {
    const auto* trace = std::get_if<TraceFile>(&source.what);
    if (trace == nullptr) {
        return false;
    }
    const auto* format = workloads::find_trace_format(trace->format);
    return format == nullptr || !format->objects;
}

void warn_of_taints(const std::vector<const Value*>& nodes,
                    const core::SourceSpan& span,
                    core::Diagnostics& diagnostics) {
    std::vector<std::string> tainted;
    for (const Value* node : nodes) {
        if (const std::string taint = taint_of(*node); !taint.empty()) {
            tainted.push_back(
                fmt::format("{} ({})", text_below(*node, {"metadata", "name"}), taint));
        }
    }
    if (!tainted.empty()) {
        diagnostics.warning(span,
                            fmt::format("{} of {} nodes have taints, which do not keep away pods "
                                        "that state no nodeSelector, affinity or tolerations and "
                                        "are not read from Kubernetes objects: these may go to {}",
                                        tainted.size(),
                                        nodes.size(),
                                        some_of(tainted)));
    }
}

}  // namespace

void leave_out_unavailable_nodes(const Value& topology,
                                 bool pods_go_anywhere,
                                 ExperimentSpec& spec,
                                 core::Diagnostics& diagnostics) {
    const std::vector<const Value*> nodes = node_objects(topology);
    const bool taints_repel_all = spec.settings.scheduler != nullptr;  // it looks at them itself
    if (!taints_repel_all &&
        (pods_go_anywhere || std::ranges::any_of(spec.workload, &is_trace_without_nodes))) {
        warn_of_taints(nodes, topology.span, diagnostics);
    }
    if (text_below(topology, {"nodes", "unavailable"}) == "keep") {
        return;
    }
    const auto servers = spec.topology->servers_by_name();
    std::vector<std::string> names;
    std::set<core::ServerId> out;
    for (const Value* node : nodes) {
        const std::string fault = fault_of(*node);
        const std::string name = text_below(*node, {"metadata", "name"});
        const auto server = servers.find(name);
        if (!fault.empty() && server != servers.end()) {
            names.push_back(fmt::format("{} ({})", name, fault));
            out.insert(server->second);
        }
    }
    if (out.empty()) {
        return;
    }
    const std::size_t pods = remove_pods_on(out, spec);
    out.insert(spec.settings.absent.begin(), spec.settings.absent.end());
    spec.settings.absent.assign(out.begin(), out.end());
    diagnostics.warning(
        topology.span,
        fmt::format("{} of {} nodes take no pods and are left out{}: {}; unavailable: keep in "
                    "nodes counts them as free",
                    names.size(),
                    nodes.size(),
                    pods == 0   ? ""
                    : pods == 1 ? ", with the pod that runs there"
                                : fmt::format(", with the {} pods that run there", pods),
                    some_of(names)));
}

}  // namespace berth::experiments
