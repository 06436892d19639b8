#include "experiments/program/config/failures/read_failure_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/support/source.hpp"
#include "experiments/program/config/failures/node_events.hpp"
#include "experiments/program/results/stored/csv.hpp"
#include "workloads/drawn_duration.hpp"

namespace berth::experiments {
namespace {

using core::NodeId;
using sim::SimTime;

/// A row of the table.
struct Row {
    SimTime at{};
    NodeId node;
    bool fails = false;
    std::uint32_t cause = 0;
};

std::unordered_map<std::string_view, NodeId> nodes_by_name(const core::Topology& tree) {
    std::unordered_map<std::string_view, NodeId> nodes;
    for (std::uint32_t level = tree.server_level().index; level > 0; --level) {
        for (const NodeId node : tree.level_nodes(core::Level{level})) {
            nodes.emplace(tree.name(node), node);
        }
    }
    return nodes;
}

/// Causes are numbered as the model's names are.
std::uint32_t cause_number(const std::string& name, workloads::FailureModel& model) {
    const std::vector<std::string> names = model.cause_names();
    const auto known = std::ranges::find(names, name);
    if (known == names.end()) {
        model.recorded_causes.push_back(name);
    }
    return static_cast<std::uint32_t>(known - names.begin());
}

std::string unknown_component(std::string_view name) {
    return fmt::format("unknown component '{}': expected a node of the topology", name);
}

class FailureTable {
public:
    FailureTable(const core::SourceText& text,
                 const core::Topology& tree,
                 workloads::FailureModel& model)
        : text_(text.text),
          in_(text_, text.name),
          nodes_(nodes_by_name(tree)),
          model_(model),
          time_(in_.column("time_s")),
          component_(in_.column("component")),
          event_(in_.column("event")),
          cause_(in_.find_column("cause")) {}

    std::vector<Row> read() {
        std::vector<Row> rows;
        while (in_.next()) {
            rows.push_back(read_row());
        }
        std::ranges::stable_sort(rows, {}, &Row::at);
        return rows;
    }

private:
    Row read_row() {
        Row row;
        const double seconds = in_.required_number(time_);
        if (seconds < 0) {
            in_.fail(time_, fmt::format("'{}': expected seconds, 0 or more", in_.field(time_)));
        }
        row.at = workloads::drawn_duration(seconds, SimTime(0));
        const auto node = nodes_.find(in_.field(component_));
        if (node == nodes_.end()) {
            in_.fail(component_, unknown_component(in_.field(component_)));
        }
        row.node = node->second;
        const std::string& event = in_.field(event_);
        if (event != "fail" && event != "repair") {
            in_.fail(event_, fmt::format("'{}': expected fail or repair", event));
        }
        row.fails = event == "fail";
        if (row.fails) {
            const bool said = cause_ && !in_.field(*cause_).empty();
            row.cause = cause_number(said ? in_.field(*cause_) : "recorded", model_);
        }
        return row;
    }

    std::istringstream text_;
    report::CsvReader in_;
    std::unordered_map<std::string_view, NodeId> nodes_;
    workloads::FailureModel& model_;
    std::size_t time_;
    std::size_t component_;
    std::size_t event_;
    std::optional<std::size_t> cause_;
};

void add_table(const core::SourceText& text,
               const core::Topology& tree,
               workloads::FailureModel& model) {
    std::map<NodeId, std::size_t> out;  // which outage a node is in
    for (const Row& row : FailureTable(text, tree, model).read()) {
        const auto known = out.find(row.node);
        if (row.fails && known == out.end()) {
            out.emplace(row.node, model.recorded.size());
            model.recorded.push_back({row.at, std::nullopt, row.node, row.cause});
        } else if (!row.fails && known != out.end()) {
            model.recorded[known->second].back = row.at;
            out.erase(known);
        }
    }
}

void add_node_events(const std::vector<NodeOutage>& outages,
                     SimTime zero,
                     const core::Topology& tree,
                     workloads::FailureModel& model) {
    const auto nodes = nodes_by_name(tree);
    for (const NodeOutage& outage : outages) {
        if (outage.to && *outage.to <= zero) {
            continue;
        }
        const auto node = nodes.find(outage.node);
        if (node == nodes.end()) {
            throw core::InputError(outage.told, unknown_component(outage.node));
        }
        const auto to = outage.to ? std::optional(*outage.to - zero) : std::nullopt;
        const std::string& cause = outage.cause.empty() ? "recorded" : outage.cause;
        model.recorded.push_back({std::max(outage.from - zero, SimTime(0)),
                                  to,
                                  node->second,
                                  cause_number(cause, model)});
    }
}

/// The file, or a text inside another document as one.
std::shared_ptr<const core::SourceText> source_of(const core::Value& csv) {
    const auto& source = csv.span.source;
    if (source != nullptr && source->text == csv.text) {
        return source;
    }
    auto inner = std::make_shared<core::SourceText>();
    inner->name = "failures.csv";
    inner->text = csv.text;
    return inner;
}

}  // namespace

void read_failure_file(const core::Value& csv,
                       const core::Value* zero,
                       const core::Topology& tree,
                       workloads::FailureModel& model) {
    const std::shared_ptr<const core::SourceText> text = source_of(csv);
    const auto outages = read_node_events(text);
    const core::SourceSpan whole{text, 1, 1, 1};
    if (outages && zero == nullptr) {
        throw core::InputError(
            whole,
            "times are dates here: expected zero beside file, the date and time at which the run "
            "begins, such as zero: 2026-01-31T00:00:00");
    }
    if (outages) {
        add_node_events(*outages, read_zero(*zero), tree, model);
        return;
    }
    const std::string header = text->text.substr(0, text->text.find('\n'));
    if (header.find("time_s") == std::string::npos) {
        throw core::InputError(whole,
                               "no column 'time_s', and no events of nodes: expected a table with "
                               "time_s,component,event, or what `sacctmgr -P show event` or "
                               "`kubectl get events -A -o json` prints");
    }
    if (zero != nullptr) {
        throw core::InputError(zero->span,
                               "zero beside a file whose times are seconds: expected it where they "
                               "are dates");
    }
    add_table(*text, tree, model);
}

}  // namespace berth::experiments
