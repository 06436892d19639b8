#include "topologies/machine_mix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <variant>

#include "core/support/parse_number.hpp"

namespace berth::topologies {
namespace {

using core::Diagnostics;
using core::Value;

/// A node of the plan. Ordered top-down, so that deeper nodes come later and overrule.
using PlanNode = std::pair<std::size_t, std::uint32_t>;  // level, index in the level

struct Share {
    std::uint32_t type = 0;
    std::int64_t weight = 1;
    std::int64_t behind = 0;  ///< weight * servers so far - total weight * servers of this type.
};

struct Mix {
    std::vector<Share> shares;
    std::int64_t total_weight = 0;

    std::uint32_t next() {
        Share* most = &shares.front();
        for (Share& share : shares) {
            share.behind += share.weight;
            if (share.behind > most->behind) {
                most = &share;
            }
        }
        most->behind -= total_weight;
        return most->type;
    }
};

constexpr std::int64_t weight_unit = 1'000'000;
constexpr std::int64_t weight_max = 1'000'000 * weight_unit;

/// Weights are counted in millionths: sums stay exact, so every machine draws the same mix.
std::int64_t read_weight(const Value& value, Diagnostics& diagnostics) {
    const auto parsed = value.is_scalar() ? core::parse_quantity(value.text, weight_unit)
                                          : core::QuantityFault::malformed;
    const auto* weight = std::get_if<core::Amount>(&parsed);
    if (weight == nullptr || *weight < 1 || *weight > weight_max) {
        core::expected(
            value, "a number above 0, at most 1000000, with at most six decimals", diagnostics);
        return weight_unit;
    }
    return *weight;
}

class MachinesReader {
public:
    MachinesReader(const LevelPlan& plan, const MachineTypes& types, Diagnostics& diagnostics)
        : plan_(plan), types_(types), diagnostics_(diagnostics) {}

    std::optional<std::vector<std::uint32_t>> read(const Value& machines) {
        if (!machines.is_list() || machines.items.empty()) {
            core::expected(machines, "a list of machines, each with its type", diagnostics_);
            return std::nullopt;
        }
        for (const Value& entry : machines.items) {
            read_entry(entry);
        }
        if (diagnostics_.failed()) {
            return std::nullopt;
        }
        return draw(machines);
    }

private:
    void read_entry(const Value& entry) {
        core::MapReader map(entry, "an entry of machines", diagnostics_);
        Share share;
        if (const Value* type = map.need("type")) {
            share.type = types_.find(*type, diagnostics_).value_or(0);
        }
        const Value* weight = map.take("weight");
        share.weight = weight ? read_weight(*weight, diagnostics_) : weight_unit;
        const Value* at = map.take("at");
        for (const PlanNode& node : at ? read_at(*at) : std::vector{PlanNode{0, 0}}) {
            Mix& mix = mixes_[node];
            mix.shares.push_back(share);
            mix.total_weight += share.weight;
        }
        map.report_unknown_keys();
    }

    std::vector<PlanNode> read_at(const Value& at) {
        if (!at.is_map() || at.members.size() != 1) {
            core::expected(at, "one level and a node of it, as in {rack: 3}", diagnostics_);
            return {};
        }
        const core::Member& member = at.members.front();
        const auto level = plan_.find(member.key);
        if (!level) {
            const std::vector<std::string> names = plan_.names();
            diagnostics_.error(member.key_span,
                               fmt::format("unknown level '{}': expected {}{}",
                                           member.key,
                                           core::alternatives(names),
                                           core::suggestion(member.key, names)));
            return {};
        }
        std::vector<PlanNode> nodes;
        if (!member.value.is_list()) {
            read_node(member.value, *level, nodes);
        }
        for (const Value& item : member.value.items) {
            read_node(item, *level, nodes);
        }
        return nodes;
    }

    /// A node by its index in the level, `3`, or by its name, `rack-3`.
    void read_node(const Value& value, std::size_t level, std::vector<PlanNode>& nodes) {
        std::string_view text = value.text;
        const std::string prefix = plan_.name(level) + "-";
        if (text.starts_with(prefix)) {
            text.remove_prefix(prefix.size());
        } else if (level == 0 && text == plan_.name(0)) {
            text = "0";
        }
        const auto index = core::parse_number<std::uint32_t>(text);
        if (!value.is_scalar() || !index || *index >= plan_.size(level) ||
            (text.size() > 1 && text.front() == '0')) {
            diagnostics_.error(value.span,
                               fmt::format("unknown {} '{}': expected 0 to {}, or {}0 to {}{}",
                                           plan_.name(level),
                                           value.text,
                                           plan_.size(level) - 1,
                                           prefix,
                                           prefix,
                                           plan_.size(level) - 1));
            return;
        }
        nodes.emplace_back(level, *index);
    }

    std::optional<std::vector<std::uint32_t>> draw(const Value& machines) {
        // Each server's entry is the number of its mix first, and then the type drawn from it.
        constexpr auto none = UINT32_MAX;
        std::vector<std::uint32_t> types(plan_.server_count(), none);
        std::vector<Mix*> mixes;
        for (auto& [node, mix] : mixes_) {
            const auto [begin, end] = plan_.servers_under(node.first, node.second);
            std::fill(types.begin() + begin,
                      types.begin() + end,
                      static_cast<std::uint32_t>(mixes.size()));
            mixes.push_back(&mix);
        }
        for (std::uint32_t& type : types) {
            if (type == none) {
                diagnostics_.error(machines.span,
                                   fmt::format("{}-{} has no machine type: expected an entry of "
                                               "machines without 'at'",
                                               plan_.name(plan_.level_count() - 1),
                                               &type - types.data()));
                return std::nullopt;
            }
            type = mixes[type]->next();
        }
        return types;
    }

    const LevelPlan& plan_;
    const MachineTypes& types_;
    Diagnostics& diagnostics_;
    std::map<PlanNode, Mix> mixes_;
};

}  // namespace

std::optional<std::vector<std::uint32_t>> read_machines(const Value& machines,
                                                        const LevelPlan& plan,
                                                        const MachineTypes& types,
                                                        Diagnostics& diagnostics) {
    return MachinesReader(plan, types, diagnostics).read(machines);
}

}  // namespace berth::topologies
