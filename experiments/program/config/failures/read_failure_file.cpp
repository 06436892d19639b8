#include "experiments/program/config/failures/read_failure_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/support/csv_record.hpp"
#include "core/support/source.hpp"
#include "experiments/program/results/stored/csv.hpp"
#include "experiments/program/support/documents.hpp"
#include "sim/clock/time.hpp"
#include "workloads/distribution.hpp"
#include "workloads/trace/numbers.hpp"

namespace berth::experiments {
namespace {

using core::InputError;
using core::NodeId;
using core::SourceSpan;
using core::Value;
using sim::SimTime;
using Source = std::shared_ptr<const core::SourceText>;

/// A time during which a node was out. Times are since 1970.
struct NodeOutage {
    sim::SimTime from{};
    std::optional<sim::SimTime> to;  ///< Nothing: the node was still out when the events were
                                     ///<          listed.
    std::string node;
    std::string cause;
    core::SourceSpan told;  ///< Place of the node's name in the text.
};

SimTime date_at(std::string_view text, const SourceSpan& span) {
    const auto date = workloads::parse_date_time(text);
    if (!date) {
        throw InputError(
            span, fmt::format("'{}': expected a date and time such as 2026-01-31T23:59:59", text));
    }
    return *date;
}

/// Reads `Not responding [slurm@2026-01-31T23:59:59]` without the user and the time.
std::string_view cause_of_reason(std::string_view reason) {
    return core::trimmed(reason.substr(0, reason.find(" [")));
}

/// The rows of `sacctmgr -P show event`.
class SlurmEvents {
public:
    enum Column : std::uint8_t { node, from, to, state, reason };

    explicit SlurmEvents(Source source) : source_(std::move(source)), rest_(source_->text) {
        static constexpr std::array<core::CsvColumn, 5> columns{{{"NodeName", true},
                                                                 {"TimeStart", true},
                                                                 {"TimeEnd", true},
                                                                 {"State", true},
                                                                 {"Reason", false}}};
        (void)next();
        places_ = core::find_columns(record_.fields(), columns);
        if (places_.wrong_at) {
            throw InputError({source_, 1, static_cast<int>(*places_.wrong_at) + 1, 1},
                             places_.message);
        }
    }

    [[nodiscard]] bool next() {
        do {
            if (rest_.empty()) {
                return false;
            }
            ++line_;
            text_ = rest_.substr(0, rest_.find('\n'));
            rest_.remove_prefix(std::min(text_.size() + 1, rest_.size()));
        } while (core::trimmed(text_).empty() || text_ == "\r");
        text_.remove_suffix(text_.ends_with('\r') ? 1 : 0);
        (void)record_.split(text_);
        return true;
    }
    [[nodiscard]] std::string_view cell(Column column) const {
        const std::size_t at = places_.at[column];
        return at < record_.fields().size() ? core::trimmed(record_.fields()[at].text)
                                            : std::string_view();
    }
    [[nodiscard]] SimTime date(Column column) const { return date_at(cell(column), span(column)); }
    [[nodiscard]] SourceSpan span(Column column) const {
        const std::size_t at = places_.at[column];
        const bool there = at < record_.fields().size();
        const std::size_t begin = there ? record_.fields()[at].begin : text_.size();
        return {source_, line_, static_cast<int>(begin) + 1, 1};
    }
    [[noreturn]] void fail(Column column, std::string_view message) const {
        throw InputError(span(column), message);
    }

private:
    Source source_;
    std::string_view rest_;
    std::string_view text_;
    int line_ = 0;
    core::CsvRecord record_{core::CsvDialect{'|', false}};
    core::CsvColumns places_;
};

/// Whether a state such as `DOWN*+DRAIN` says that the node is down unintentionally. A node that
/// saves power (`IDLE+POWERED_DOWN`) or is in maintenance is not.
bool has_failed(std::string_view state) {
    bool failed = false;
    for (bool more = true; more;) {
        const std::size_t end = state.find('+');
        std::string_view flag = state.substr(0, end);
        flag = flag.substr(0, flag.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_"));
        if (flag.starts_with("MAINT") || flag.starts_with("REBOOT")) {
            return false;
        }
        failed = failed || flag == "DOWN" || flag == "FAIL" || flag == "FAILING";
        more = end != std::string_view::npos;
        state.remove_prefix(more ? end + 1 : state.size());
    }
    return failed;
}

std::vector<NodeOutage> slurm_outages(const Source& source) {
    std::vector<NodeOutage> outages;
    SlurmEvents events(source);
    while (events.next()) {
        const std::string_view to = events.cell(SlurmEvents::to);
        const std::string node(events.cell(SlurmEvents::node));
        if (!has_failed(events.cell(SlurmEvents::state)) || node.empty()) {
            continue;  // a drain, or an event of the whole cluster
        }
        const bool open = to.empty() || to == "Unknown" || to == "None";
        const SimTime from = events.date(SlurmEvents::from);
        const auto back = open ? std::nullopt : std::optional(events.date(SlurmEvents::to));
        if (back && *back < from) {
            events.fail(SlurmEvents::to,
                        fmt::format("'{}': expected no time before TimeStart", to));
        }
        outages.push_back({from,
                           back,
                           node,
                           std::string(cause_of_reason(events.cell(SlurmEvents::reason))),
                           events.span(SlurmEvents::node)});
    }
    return outages;
}

/// The value of the first of these keys that a map has.
const Value* first_of(const Value& map, std::initializer_list<std::string_view> keys) {
    for (const std::string_view key : keys) {
        if (const Value* value = map.find(key); value != nullptr && !value->text.empty()) {
            return value;
        }
    }
    return nullptr;
}

/// A node that became ready, or that stopped being ready.
struct Turn {
    SimTime at{};
    std::string node;
    bool ready = false;
    SourceSpan told;
};

void add_turns(const Value& event, std::vector<Turn>& turns) {
    const Value* about = event.find("involvedObject");
    about = about != nullptr ? about : event.find("regarding");
    const Value* kind = about != nullptr ? about->find("kind") : nullptr;
    const Value* name = about != nullptr ? about->find("name") : nullptr;
    const Value* reason = event.find("reason");
    const bool ready = reason != nullptr && reason->text == "NodeReady";
    const bool lost = reason != nullptr && reason->text == "NodeNotReady";
    if (kind == nullptr || kind->text != "Node" || name == nullptr || !(ready || lost)) {
        return;
    }
    const Value* last = first_of(event, {"lastTimestamp", "eventTime", "deprecatedLastTimestamp"});
    if (last == nullptr) {
        throw InputError(event.span, "an event without lastTimestamp: expected one");
    }
    turns.push_back({date_at(last->text, last->span), name->text, ready, name->span});
    // Equal events are listed once with a count, and the time of the first is known too.
    const Value* first = first_of(event, {"firstTimestamp", "deprecatedFirstTimestamp"});
    if (first != nullptr && first->text != last->text) {
        turns.push_back({date_at(first->text, first->span), name->text, ready, name->span});
    }
}

std::vector<NodeOutage> kubernetes_outages(const Source& source) {
    std::vector<Turn> turns;
    for (const Value& document : parse_documents(source)) {
        const Value* items = document.find("items");
        const std::span<const Value> events =
            items != nullptr ? std::span(items->items)
                             : std::span<const Value>(&document, document.is_map() ? 1 : 0);
        for (const Value& event : events) {
            add_turns(event, turns);
        }
    }
    std::ranges::stable_sort(turns, {}, &Turn::at);
    std::vector<NodeOutage> outages;
    std::map<std::string, std::size_t> out;
    for (const Turn& turn : turns) {
        const auto known = out.find(turn.node);
        if (!turn.ready && known == out.end()) {
            out.emplace(turn.node, outages.size());
            outages.push_back({turn.at, std::nullopt, turn.node, "NodeNotReady", turn.told});
        } else if (turn.ready && known != out.end()) {
            outages[known->second].to = turn.at;
            out.erase(known);
        }
    }
    return outages;
}

/// Merges the outages of each node. Rows may come in any order and overlap: a node that goes from
/// one failed state to another is out the whole time, for the first cause.
std::vector<NodeOutage> merged(std::vector<NodeOutage> outages) {
    std::ranges::stable_sort(outages, [](const NodeOutage& a, const NodeOutage& b) {
        return std::tie(a.node, a.from) < std::tie(b.node, b.from);
    });
    std::vector<NodeOutage> out;
    for (NodeOutage& next : outages) {
        NodeOutage* const last = out.empty() ? nullptr : &out.back();
        if (last == nullptr || last->node != next.node || (last->to && *last->to < next.from)) {
            out.push_back(std::move(next));
        } else if (last->to) {
            last->to = next.to ? std::optional(std::max(*last->to, *next.to)) : std::nullopt;
        }
    }
    return out;
}

/// Reads what a cluster's own tools recorded about its nodes: `sacctmgr -P show event` of Slurm, in
/// which the states DOWN and FAIL are failures, and `kubectl get events -A -o json`, in which a
/// node that is not ready has failed until it is ready again. Drains, maintenance and reboots are
/// left out.
/// Returns: outages sorted by time that do not overlap for one node; nothing if the text is neither
///          of the two.
/// Errors: InputError for a time that cannot be read, and for a text without any failure.
std::optional<std::vector<NodeOutage>> read_node_events(const Source& text) {
    std::string_view begin = text->text;
    begin.remove_prefix(std::min(begin.find_first_not_of(" \t\r\n"), begin.size()));
    begin = begin.substr(0, begin.find('\n'));
    const bool slurm = begin.find('|') != std::string_view::npos &&
                       begin.find("NodeName") != std::string_view::npos;
    const bool kubernetes = begin.starts_with('{');
    if (!slurm && !kubernetes) {
        return std::nullopt;
    }
    std::vector<NodeOutage> outages =
        merged(slurm ? slurm_outages(text) : kubernetes_outages(text));
    if (outages.empty()) {
        throw InputError({text, 1, 1, 1},
                         slurm ? "found no failure: expected a node whose State is DOWN or FAIL"
                               : "found no failure: expected an event of a Node whose reason is "
                                 "NodeNotReady");
    }
    std::ranges::stable_sort(outages, {}, &NodeOutage::from);
    return outages;
}

/// The date at which the run begins.
/// Errors: InputError if it is no date.
SimTime read_zero(const Value& zero) {
    if (!zero.is_scalar()) {
        throw InputError(zero.span, "expected a date and time such as 2026-01-31T23:59:59");
    }
    return date_at(zero.text, zero.span);
}

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

/// The number of a cause, in the order of the model's names.
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
    std::map<NodeId, std::size_t> out;  // index of the outage that a node is in
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

/// The source of a whole file, or a text inside another document as a source.
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
                               "zero cannot be used with a file whose times are seconds: expected "
                               "it only where they are dates");
    }
    add_table(*text, tree, model);
}

}  // namespace berth::experiments
