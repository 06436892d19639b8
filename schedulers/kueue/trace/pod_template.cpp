#include <fmt/format.h>

#include <string_view>

#include "schedulers/kueue/trace/kueue_job.hpp"
#include "workloads/trace/pod_amounts.hpp"
#include "workloads/trace/row_error.hpp"
#include "workloads/unmodelled/pod_fields.hpp"

namespace berth::workloads {
namespace {

using Index = JsonRow::Index;
using Asks = TraceTopology::Asks;

/// Collects a topology request from the annotations of pods or the keys of a topologyRequest.
class TopologyReader {
public:
    explicit TopologyReader(const JsonRow& row) : row_(row) {}

    /// `name`: the key as it is written; `asks`: what the key asks for.
    void ask(Index value, std::string_view name, Asks asks) {
        if (out_.asks != Asks::nothing) {
            row_.fail(value,
                      fmt::format("{} beside another request: expected one of required, preferred "
                                  "and unconstrained",
                                  name));
        }
        const std::string_view text = row_.text(value);
        if (asks == Asks::anywhere) {
            if (text != "true" && text != "false") {
                row_.fail(value, fmt::format("{} {}: expected true or false", name, quoted(text)));
            }
            out_.asks = text == "true" ? Asks::anywhere : Asks::nothing;
            return;
        }
        if (text.empty()) {
            row_.fail(value, fmt::format("{} is empty: expected a label of nodes", name));
        }
        out_.asks = asks;
        out_.label = text;
    }
    [[noreturn]] void refuse(Index value, std::string_view name) const {
        row_.fail(value,
                  fmt::format("{} is not modelled in a run: expected pods that are placed as one, "
                              "by a required or a preferred topology",
                              name));
    }
    [[nodiscard]] TraceTopology take() { return std::move(out_); }

private:
    const JsonRow& row_;
    TraceTopology out_;
};

TraceTopology read_annotations(const JsonRow& row, std::optional<Index> annotations) {
    constexpr std::string_view prefix = "kueue.x-k8s.io/podset-";
    TopologyReader topology(row);
    row.for_each_member(annotations, [&](Index key, Index value) {
        const std::string name(row.json().text(key));
        if (!name.starts_with(prefix)) {
            return;
        }
        const std::string_view rest = std::string_view(name).substr(prefix.size());
        if (rest == "required-topology") {
            topology.ask(value, name, Asks::required);
        } else if (rest == "preferred-topology") {
            topology.ask(value, name, Asks::preferred);
        } else if (rest == "unconstrained-topology") {
            topology.ask(value, name, Asks::anywhere);
        } else {
            topology.refuse(value, name);
        }
    });
    return topology.take();
}

}  // namespace

void read_pod_template(const JsonRow& row, std::optional<Index> pod, KueueJob& out) {
    const auto spec = row.find(pod, {"spec"});
    read_pod_amounts(row, pod, out.job);
    read_pod_time_limit(row, pod, out.job);
    out.others = other_resources(row, spec);
    if (pod) {
        pod_fields(PodReader::admitted).find(row.json(), *pod, out.pods_say);
    }
    out.job.set_conditions().nodes = node_rules(row, spec);
    out.job.topology = read_annotations(row, row.find(pod, {"metadata", "annotations"}));
}

std::optional<TraceTopology> read_topology_request(const JsonRow& row, Index request) {
    TopologyReader topology(row);
    row.for_each_member(request, [&](Index key, Index value) {
        const std::string name(row.json().text(key));
        // Which pod goes to which of its set's places does not matter in a run.
        const bool says_rank =
            name == "podIndexLabel" || name == "subGroupIndexLabel" || name == "subGroupCount";
        if (says_rank || row.json().kind(value) == JsonText::Kind::null) {
            return;
        }
        if (name == "required") {
            topology.ask(value, name, Asks::required);
        } else if (name == "preferred") {
            topology.ask(value, name, Asks::preferred);
        } else if (name == "unconstrained") {
            topology.ask(value, name, Asks::anywhere);
        } else {
            topology.refuse(value, name);
        }
    });
    TraceTopology out = topology.take();
    return out.asks != Asks::nothing ? std::optional(std::move(out)) : std::nullopt;
}

}  // namespace berth::workloads
