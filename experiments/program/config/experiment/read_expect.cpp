#include "experiments/program/config/experiment/read_expect.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>

#include "core/support/parse_number.hpp"
#include "core/support/quantity_hint.hpp"
#include "experiments/program/config/document/fields.hpp"
#include "experiments/program/results/tables/metric_table.hpp"
#include "sim/clock/time.hpp"

namespace berth::experiments {
namespace {

using core::Diagnostics;
using core::MapReader;
using core::Value;

constexpr double infinite = std::numeric_limits<double>::infinity();

/// Reads a number in the metric's own unit. Seconds may also be written as `10m`, and shares as
/// `90%`.
double read_bound(const Value& value, const Claim& claim, Diagnostics& diagnostics) {
    const std::string_view text = value.text;
    const auto number = value.is_scalar() ? core::parse_number<double>(text) : std::nullopt;
    if (number && std::isfinite(*number)) {
        return *number;
    }
    const report::MetricRecord* record = report::find_metric(claim.metric);
    const std::string_view unit = record != nullptr ? record->unit : "";
    if (unit == "s") {
        const auto duration = read_duration(value, diagnostics, "a number of seconds, or ");
        return duration ? sim::seconds(*duration) : 0;
    }
    if ((unit == "share" || unit == "%") && text.ends_with('%')) {
        const auto percent = core::parse_number<double>(text.substr(0, text.size() - 1));
        if (percent && std::isfinite(*percent)) {
            return unit == "share" ? *percent / 100 : *percent;
        }
    }
    expected(value,
             fmt::format("a {}{}",
                         unit == "share" ? "share such as 0.9, or 90%" : "number",
                         core::comma_hint(text)),
             diagnostics);
    return 0;
}

/// With `confidence: none`, only the mean has to lie in the range.
bool goes_by_interval(const Value* confidence, bool otherwise, Diagnostics& diagnostics) {
    if (confidence == nullptr) {
        return otherwise;
    }
    if (confidence->text != "none") {
        expected(*confidence,
                 "none, which goes by the mean; without it the 95 % interval has to lie in the "
                 "range",
                 diagnostics);
    }
    return false;
}

void read_bounds(const Value& value, Claim& claim, Diagnostics& diagnostics) {
    MapReader map(value, "an expectation", diagnostics);
    const Value* min = map.take("min");
    const Value* max = map.take("max");
    claim.by_interval = goes_by_interval(map.take("confidence"), claim.by_interval, diagnostics);
    map.report_unknown_keys();
    if (min == nullptr && max == nullptr) {
        expected(value, "min, max or both", diagnostics);
    }
    claim.least = min != nullptr ? read_bound(*min, claim, diagnostics) : -infinite;
    claim.most = max != nullptr ? read_bound(*max, claim, diagnostics) : infinite;
}

core::Members read_count(const Value& value, Diagnostics& diagnostics) {
    return read_integer(value, diagnostics, 1, INT64_MAX).value_or(1);
}

/// Reads counts of members, or `COUNT x NODES` for many equal ones.
void read_counts(const Value& value, Claim& claim, Diagnostics& diagnostics) {
    for (const Value& item : value.items) {
        const std::size_t times = item.text.find('x');
        Value count = item;
        Value nodes = item;
        nodes.text = "1";
        if (times != std::string::npos) {
            count.text = item.text.substr(0, times);
            nodes.text = item.text.substr(times + 1);
        }
        claim.members.insert(
            claim.members.end(),
            static_cast<std::size_t>(read_integer(nodes, diagnostics, 1, 1'000'000).value_or(1)),
            read_count(count, diagnostics));
    }
}

/// Reports names that no node of a level has.
class NodeNames {
public:
    NodeNames(const core::Topology& tree, core::Level level, Diagnostics& diagnostics)
        : level_(tree.level_name(level)), diagnostics_(diagnostics) {
        for (const core::NodeId node : tree.level_nodes(level)) {
            names_.emplace_back(tree.name(node));
        }
    }

    void check(const std::string& name, const core::SourceSpan& span) const {
        if (std::ranges::find(names_, name) == names_.end()) {
            diagnostics_.error(span,
                               fmt::format("unknown {} '{}': expected one of the cluster's{}",
                                           level_,
                                           name,
                                           core::suggestion(name, names_)));
        }
    }

private:
    std::string level_;
    std::vector<std::string> names_;
    Diagnostics& diagnostics_;
};

/// Reads counts with the nodes on which a figure shows them: `{rack-13: 108, rack-14: 12}`.
void read_counts_by_node(const Value& value,
                         const core::Topology& tree,
                         Claim& claim,
                         Diagnostics& diagnostics) {
    const NodeNames names(tree, claim.level, diagnostics);
    for (const core::Member& member : value.members) {
        names.check(member.key, member.key_span);
        claim.members.push_back(read_count(member.value, diagnostics));
        claim.published_nodes.emplace_back(member.key, claim.members.back());
    }
}

/// Reads `expected` or `published` for the members on a level.
void read_members(const Value& value,
                  const core::Topology& tree,
                  Claim& claim,
                  Diagnostics& diagnostics) {
    claim.kind = Claim::Kind::members;
    if (claim.published && value.is_map()) {
        read_counts_by_node(value, tree, claim, diagnostics);
    } else {
        read_counts(value, claim, diagnostics);
    }
    std::ranges::sort(claim.members, std::greater());
    if (claim.members.empty()) {
        expected(value,
                 claim.published ? "counts by node, such as {rack-13: 108, rack-14: 12}, or a list "
                                   "of them, such as [8x10, 7x2]"
                                 : "a list of counts, such as [108, 12] or [15x8]",
                 diagnostics);
    }
}

void read_nodes(const Value& value,
                const core::Topology& tree,
                Claim& claim,
                Diagnostics& diagnostics) {
    claim.kind = Claim::Kind::nodes;
    if (!value.is_list() || value.items.empty()) {
        expected(value, "a list of names, such as [rack-0]", diagnostics);
    }
    const NodeNames names(tree, claim.level, diagnostics);
    for (const Value& name : value.items) {
        if (const auto text = read_text(name, diagnostics)) {
            names.check(*text, name.span);
            claim.nodes.push_back(*text);
        }
    }
}

/// Returns what a claim states: `expected`, or `published` for what a figure shows. Reports a claim
/// that has both or neither, and then returns nullptr.
const Value* statement_of(MapReader& map, const Value* members, Claim& claim) {
    const Value* published = map.take("published");
    claim.published = published != nullptr;
    if (!claim.published) {
        return map.need("expected");
    }
    if (map.take("expected") != nullptr || members == nullptr) {
        map.diagnostics().error(
            published->span,
            members == nullptr ? "published cannot be used in a claim that is not about members: "
                                 "expected the key expected instead"
                               : "published and expected are both given: expected one of them");
        return nullptr;
    }
    return published;
}

}  // namespace

void read_expected_range(const Value& value, Claim& claim, Diagnostics& diagnostics) {
    if (value.is_list() && value.items.size() == 2) {
        claim.least = read_bound(value.items[0], claim, diagnostics);
        claim.most = read_bound(value.items[1], claim, diagnostics);
        return;
    }
    claim.least = read_bound(value, claim, diagnostics);
    claim.most = claim.least;
}

std::vector<Claim> read_expect(const Value* map, Diagnostics& diagnostics) {
    std::vector<Claim> out;
    if (map == nullptr) {
        return out;
    }
    if (!map->is_map()) {
        expected(
            *map, "a map from metrics to ranges, such as {success_rate: [0.9, 1]}", diagnostics);
        return out;
    }
    const bool by_interval = goes_by_interval(map->find("confidence"), true, diagnostics);
    for (const core::Member& member : map->members) {
        if (member.key == "confidence") {
            continue;
        }
        Claim& claim = out.emplace_back();
        claim.metric = member.key;
        claim.span = member.key_span;
        claim.by_interval = by_interval;
        if (member.value.is_map()) {
            read_bounds(member.value, claim, diagnostics);
        } else if (member.value.is_scalar() ||
                   (member.value.is_list() && member.value.items.size() == 2)) {
            read_expected_range(member.value, claim, diagnostics);
        } else {
            expected(member.value, "a number, [least, most] or {min: ..., max: ...}", diagnostics);
        }
        if (claim.least > claim.most) {
            diagnostics.error(
                member.value.span,
                fmt::format("{} above {}: expected the least first", claim.least, claim.most));
        }
    }
    return out;
}

std::vector<Claim> read_claims(const Value* list,
                               const core::Topology& tree,
                               Diagnostics& diagnostics) {
    std::vector<Claim> claims;
    if (list != nullptr && !list->is_list()) {
        expected(*list, "a list of claims", diagnostics);
    }
    for (std::size_t i = 0; list != nullptr && i < list->items.size(); ++i) {
        MapReader map(list->items[i], "a claim", diagnostics);
        Claim claim;
        claim.text = map.text("text", "");
        claim.source = map.text("source", "");
        const Value* metric = map.take("metric");
        claim.span = metric != nullptr ? metric->span : map.span();
        claim.metric = map.text("metric", "");
        claim.group = map.text("group", "");
        const Value* members = map.take("members");
        const Value* nodes = map.take("nodes");
        const Value* statement = statement_of(map, members, claim);
        map.report_unknown_keys();
        const int subjects = (claim.metric.empty() ? 0 : 1) + (members != nullptr ? 1 : 0) +
                             (nodes != nullptr ? 1 : 0);
        if (subjects != 1) {
            diagnostics.error(
                map.span(),
                fmt::format("a claim is about {} things: expected one of metric, members, nodes",
                            subjects));
            continue;
        }
        if (statement == nullptr) {
            continue;
        }
        const Value* level_name = members != nullptr ? members : nodes;
        if (level_name == nullptr) {
            read_expected_range(*statement, claim, diagnostics);
        } else if (const auto level = tree.find_level(level_name->text)) {
            claim.level = *level;
            if (members != nullptr) {
                read_members(*statement, tree, claim, diagnostics);
            } else {
                read_nodes(*statement, tree, claim, diagnostics);
            }
        } else {
            expected(*level_name,
                     core::alternatives(tree.level_names()) +
                         core::suggestion(level_name->text, tree.level_names()),
                     diagnostics);
        }
        claims.push_back(std::move(claim));
    }
    return claims;
}

}  // namespace berth::experiments
