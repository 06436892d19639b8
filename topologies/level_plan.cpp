#include "topologies/level_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

namespace berth::topologies {

using core::Value;

constexpr std::int64_t nodes_max = std::int64_t{1} << 31;

/// A larger number of nodes is taken for a mistake: such a run would occupy a machine for minutes.
constexpr std::int64_t nodes_sensible_max = 50'000'000;
/// Memory for the tree with its names and for a ledger of three resources.
constexpr std::int64_t bytes_a_node = 100;

/// Reads the levels from the top down. After a wrong count, later lists are not checked against it.
class LevelPlanReader {
public:
    explicit LevelPlanReader(core::Diagnostics& diagnostics) : diagnostics_(diagnostics) {
        plan_.levels_.emplace_back().name = "cluster";
        plan_.name_bytes_ = static_cast<std::int64_t>(plan_.levels_.front().name.size());
    }

    std::optional<LevelPlan> read(const Value& levels) {
        if (!levels.is_list() || levels.items.empty()) {
            core::expected(levels,
                           "a list of levels, the last one the server, such as [{name: rack, "
                           "count: 6}, {name: server, count: 8}]",
                           diagnostics_);
            return std::nullopt;
        }
        if (levels.items.size() >= levels_max) {
            diagnostics_.error(levels.span,
                               fmt::format("found {} levels: expected at most {} below the cluster",
                                           levels.items.size(),
                                           levels_max - 1));
            return std::nullopt;
        }
        for (const Value& level : levels.items) {
            read_level(level);
        }
        if (size_known_ && plan_.name_bytes_ > std::int64_t{UINT32_MAX}) {
            diagnostics_.error(
                levels.span,
                fmt::format("the nodes' names take up to {} bytes: expected at most {}",
                            plan_.name_bytes_,
                            UINT32_MAX));
        }
        return diagnostics_.failed() ? std::nullopt : std::optional(std::move(plan_));
    }

private:
    /// Refuses `{rack: 6}` and `rack`, and tells how a level is written.
    bool refuse_short_form(const Value& value) {
        const bool pair = value.is_map() && value.members.size() == 1 &&
                          value.members.front().key != "name" &&
                          value.members.front().key != "count";
        if (!pair && !value.is_scalar()) {
            return false;
        }
        const Value* count = pair ? &value.members.front().value : nullptr;
        diagnostics_.error(
            value.span,
            fmt::format("a level without name and count: expected {{name: {}, "
                        "count: {}}}",
                        pair ? value.members.front().key : value.text,
                        count != nullptr && count->is_scalar() ? count->text : "..."));
        size_known_ = false;
        plan_.levels_.emplace_back().name = pair ? value.members.front().key : value.text;
        return true;
    }

    void read_level(const Value& value) {
        if (refuse_short_form(value)) {
            return;
        }
        core::MapReader map(value, "a level", diagnostics_);
        LevelPlan::PlannedLevel level;
        if (const Value* name = map.need("name")) {
            level.name = read_name(*name);
        }
        const Value* count = map.need("count");
        size_known_ = size_known_ && count != nullptr;
        if (count != nullptr && count->is_list()) {
            read_counts(*count, level);
        } else if (count != nullptr) {
            read_count(*count, level);
        }
        map.report_unknown_keys();
        plan_.levels_.push_back(std::move(level));
    }

    std::string read_name(const Value& value) {
        std::string name = core::read_text(value, diagnostics_).value_or("");
        if (value.is_scalar() && name.empty()) {
            core::expected(value, "the name of a level", diagnostics_);
        } else if (plan_.find(name)) {
            diagnostics_.error(
                value.span, fmt::format("level '{}' occurs twice: expected distinct names", name));
        }
        return name;
    }

    void read_count(const Value& value, LevelPlan::PlannedLevel& level) {
        const auto count = core::read_integer(value, diagnostics_, 1, nodes_max);
        size_known_ = size_known_ && count.has_value();
        if (size_known_) {
            level.per_parent = static_cast<std::uint32_t>(*count);
            set_size(value, level, *count * std::int64_t{plan_.levels_.back().size});
        }
    }

    void read_counts(const Value& list, LevelPlan::PlannedLevel& level) {
        const std::size_t parents = plan_.levels_.back().size;
        if (size_known_ && list.items.size() != parents) {
            diagnostics_.error(list.span,
                               fmt::format("found {} counts: expected {}, one for each {}",
                                           list.items.size(),
                                           parents,
                                           plan_.levels_.back().name));
            size_known_ = false;
        }
        std::int64_t size = 0;
        level.begin.push_back(0);
        for (const Value& item : list.items) {
            const auto count = core::read_integer(item, diagnostics_, 1, nodes_max);
            size_known_ = size_known_ && count.has_value();
            size = std::min(size + count.value_or(1), nodes_max + 1);
            level.begin.push_back(static_cast<std::uint32_t>(size));
        }
        if (size_known_) {
            set_size(list, level, size);
        }
    }

    void set_size(const Value& value, LevelPlan::PlannedLevel& level, std::int64_t size) {
        nodes_ += size;
        if (nodes_ > nodes_max) {
            diagnostics_.error(value.span,
                               fmt::format("found {} nodes down to level '{}': expected at most {}",
                                           nodes_,
                                           level.name,
                                           nodes_max));
            size_known_ = false;
            return;
        }
        if (nodes_ > nodes_sensible_max) {
            diagnostics_.error(value.span,
                               fmt::format("found {} nodes down to level '{}', which would take "
                                           "about {} GiB: expected at most {}",
                                           nodes_,
                                           level.name,
                                           nodes_ * bytes_a_node >> 30U,
                                           nodes_sensible_max));
            size_known_ = false;
            return;
        }
        level.size = static_cast<std::uint32_t>(size);
        const auto digits = static_cast<std::int64_t>(fmt::formatted_size("{}", size - 1));
        plan_.name_bytes_ += size * (static_cast<std::int64_t>(level.name.size()) + 1 + digits);
    }

    core::Diagnostics& diagnostics_;
    LevelPlan plan_;
    bool size_known_ = true;
    std::int64_t nodes_ = 1;
};

std::optional<LevelPlan> LevelPlan::read(const Value& levels, core::Diagnostics& diagnostics) {
    return LevelPlanReader(diagnostics).read(levels);
}

std::size_t LevelPlan::node_count() const {
    std::size_t count = 0;
    for (const PlannedLevel& level : levels_) {
        count += level.size;
    }
    return count;
}

std::optional<std::size_t> LevelPlan::find(std::string_view name) const {
    const auto at = std::ranges::find(levels_, name, &PlannedLevel::name);
    return at == levels_.end() ? std::nullopt
                               : std::optional(static_cast<std::size_t>(at - levels_.begin()));
}

std::vector<std::string> LevelPlan::names() const {
    std::vector<std::string> names;
    std::ranges::transform(levels_, std::back_inserter(names), &PlannedLevel::name);
    return names;
}

std::uint32_t LevelPlan::child_begin(std::size_t level, std::uint32_t node) const {
    const PlannedLevel& below = levels_[level + 1];
    return below.per_parent > 0 ? below.per_parent * node : below.begin[node];
}

std::pair<std::uint32_t, std::uint32_t> LevelPlan::servers_under(std::size_t level,
                                                                 std::uint32_t node) const {
    std::pair range{node, node + 1};
    for (; level + 1 < levels_.size(); ++level) {
        range = {child_begin(level, range.first), child_begin(level, range.second)};
    }
    return range;
}

}  // namespace berth::topologies
