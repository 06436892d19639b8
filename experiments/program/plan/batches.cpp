#include "experiments/program/plan/batches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/support/made_value.hpp"
#include "sim/clock/random.hpp"
#include "sim/clock/time.hpp"

namespace berth::experiments {
namespace {

using core::Value;

const Value* member(const Value* map, const char* key) {
    return map != nullptr && map->is_map() ? map->find(key) : nullptr;
}

/// Adds the waits whose shares are required to those that the experiment lists. The list is empty
/// if nothing has to be added.
Value waits_over(const Value* listed,
                 const std::vector<PlanRequirement>& requirements,
                 const core::SourceSpan& span) {
    Value out = listed != nullptr && listed->is_list() ? *listed : list_value(span);
    const std::size_t before = out.items.size();
    for (const PlanRequirement& requirement : requirements) {
        const std::string wait = report::wait_of_share(requirement.target.metric);
        const auto is_it = [&](const Value& known) {
            return sim::parse_duration(known.text) == sim::parse_duration(wait);
        };
        if (!wait.empty() && std::ranges::none_of(out.items, is_it)) {
            out.items.push_back(text_value(wait, requirement.span));
        }
    }
    return out.items.size() == before ? list_value(span) : out;
}

}  // namespace

Value axis_of_batches(const Value& experiment,
                      const std::vector<std::int64_t>& looks,
                      const std::vector<PlanRequirement>& requirements,
                      const core::SourceSpan& span,
                      core::Diagnostics& diagnostics) {
    const Value* spec = member(&experiment, "spec");
    const Value* seed = member(spec, "seed");
    const Value* record = member(spec, "record");
    const std::int64_t base =
        seed != nullptr ? read_integer(*seed, diagnostics, 0, INT64_MAX).value_or(1) : 1;
    const Value waits = waits_over(member(record, "waitsOver"), requirements, span);
    Value variants = map_value(span);
    std::int64_t before = 0;
    for (std::size_t look = 0; look < looks.size(); ++look) {
        const auto drawn = static_cast<std::int64_t>(sim::replication_seed(
            static_cast<std::uint64_t>(base), static_cast<std::uint32_t>(look)));
        const std::int64_t added = looks[look] - std::exchange(before, looks[look]);
        Value changes = map_value(span);
        const auto set = [&](const char* path, const std::string& text) {
            set_member(changes, path, text_value(text, span));
        };
        set("spec.seed", fmt::format("{}", look == 0 ? base : drawn));
        set("spec.replications", fmt::format("{}", added));
        if (member(record, "placements") == nullptr) {
            set("spec.record.placements", "false");
        }
        if (!waits.items.empty()) {
            set_member(changes, "spec.record.waitsOver", waits);
        }
        set_member(variants, fmt::format("{}", look + 1), std::move(changes));
    }
    Value axis = map_value(span);
    set_member(axis, "name", text_value(batch_axis, span));
    set_member(axis, "variants", std::move(variants));
    return axis;
}

}  // namespace berth::experiments
