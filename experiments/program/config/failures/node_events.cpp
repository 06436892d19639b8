#include "experiments/program/config/failures/node_events.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <map>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "core/support/csv_record.hpp"
#include "experiments/program/support/documents.hpp"
#include "workloads/trace/numbers.hpp"

namespace berth::experiments {
namespace {

using core::InputError;
using core::SourceSpan;
using core::Value;
using sim::SimTime;
using Source = std::shared_ptr<const core::SourceText>;

SimTime date_at(std::string_view text, const SourceSpan& span) {
    const auto date = workloads::parse_date_time(text);
    if (!date) {
        throw InputError(
            span, fmt::format("'{}': expected a date and time such as 2026-01-31T23:59:59", text));
    }
    return *date;
}

/// `Not responding [slurm@2026-01-31T23:59:59]`, without who said it and when.
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

/// Of a state such as `DOWN*+DRAIN`: whether the node is down although nobody meant it to be. One
/// that saves power (`IDLE+POWERED_DOWN`) is not, and neither is one in maintenance.
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

/// What a map says under the first of the keys that it has.
const Value* first_of(const Value& map, std::initializer_list<std::string_view> keys) {
    for (const std::string_view key : keys) {
        if (const Value* value = map.find(key); value != nullptr && !value->text.empty()) {
            return value;
        }
    }
    return nullptr;
}

/// A node that became ready, or that is so no more.
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
    // Of several alike, which are one event with a count, the first is known too.
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

/// Rows may come in any order and overlap: a node that goes from one state to another is out all
/// the time, for the first cause.
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

}  // namespace

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

SimTime read_zero(const Value& zero) {
    if (!zero.is_scalar()) {
        throw InputError(zero.span, "expected a date and time such as 2026-01-31T23:59:59");
    }
    return date_at(zero.text, zero.span);
}

}  // namespace berth::experiments
