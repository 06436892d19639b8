#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "experiments/program/config/workload/job_amounts.hpp"
#include "experiments/program/config/workload/read_workload.hpp"

namespace berth::experiments {
namespace {

using core::Diagnostics;
using core::Level;
using core::LevelConstraint;
using core::MapReader;
using core::Members;
using core::Value;

constexpr std::int64_t size_max = 10'000'000;

std::optional<Level> read_level(MapReader& map, const core::Topology& tree) {
    const Value* name = map.need("level");
    if (name == nullptr) {
        return std::nullopt;
    }
    const auto level = tree.find_level(name->text);
    if (!level) {
        map.diagnostics().error(name->span,
                                fmt::format("unknown level '{}': expected {}{}",
                                            name->text,
                                            core::alternatives(tree.level_names()),
                                            core::suggestion(name->text, tree.level_names())));
    }
    return level;
}

/// Reads `min`, `max`, `partitions` and `factor`, which only soft constraints may have.
void read_options(MapReader& map, LevelConstraint& constraint) {
    bool refused = false;
    for (const char* option : {"min", "max", "partitions", "factor"}) {
        if (const Value* value = map.take(option);
            value != nullptr && constraint.hard && !refused) {
            map.diagnostics().error(
                value->span, fmt::format("{} of a hard constraint: expected soft: true", option));
            refused = true;
        }
    }
    if (refused) {
        return;
    }
    const Members min = map.integer("min", 0, 1, size_max);
    const Members max = map.integer("max", 0, 1, size_max);
    if ((min > 0) != (max > 0)) {
        map.diagnostics().error(map.span(), "min without max or max without min: expected both");
    } else if (min > max) {
        map.diagnostics().error(map.span(),
                                fmt::format("min {} above max {}: expected min <= max", min, max));
    } else if (min > 0) {
        constraint.range = {min, max};
    }
    constraint.partitions = static_cast<std::uint32_t>(map.integer("partitions", 0, 1, INT32_MAX));
    constraint.factor = map.integer("factor", 1, 1, size_max);
}

core::LevelConstraints read_constraints(const Value* list,
                                        const core::Topology& tree,
                                        Diagnostics& diagnostics) {
    core::LevelConstraints constraints(tree.level_count());
    if (list == nullptr) {
        return constraints;
    }
    if (!list->is_list()) {
        expected(*list, "a list of constraints", diagnostics);
        return constraints;
    }
    for (const Value& item : list->items) {
        MapReader map(item, "a constraint", diagnostics);
        LevelConstraint constraint;
        const auto level = read_level(map, tree);
        (void)map.need("affinity");
        constraint.affinity =
            static_cast<core::Affinity>(map.choice("affinity", {"pack", "spread"}, 0));
        constraint.hard = !map.boolean("soft", true);
        constraint.scope = static_cast<core::Scope>(map.choice("scope", {"parent", "group"}, 0));
        if (constraint.scope == core::Scope::group &&
            constraint.affinity == core::Affinity::spread) {
            diagnostics.error(map.span(), "scope: group of a spread: expected affinity: pack");
        }
        read_options(map, constraint);
        map.report_unknown_keys();
        if (level && constraints.stated(*level)) {
            diagnostics.error(map.span(),
                              fmt::format("a second constraint for level '{}': expected one",
                                          tree.level_name(*level)));
        } else if (level) {
            constraints.set(*level, constraint);
        }
    }
    return constraints;
}

core::CompactVector<sim::Resize> read_resizes(const Value* list, Diagnostics& diagnostics) {
    core::CompactVector<sim::Resize> resizes;
    if (list == nullptr) {
        return resizes;
    }
    if (!list->is_list()) {
        expected(*list, "a list such as [{at: 10m, size: 80}]", diagnostics);
        return resizes;
    }
    for (const Value& item : list->items) {
        MapReader map(item, "a resize", diagnostics);
        (void)map.need("at");
        (void)map.need("size");
        const auto at = read_duration(map, "at");
        resizes.push_back({at.value_or(sim::SimTime(0)), map.integer("size", 1, 1, size_max)});
        map.report_unknown_keys();
    }
    std::ranges::stable_sort(resizes, {}, &sim::Resize::at);
    return resizes;
}

/// Applies what an entry of `groups:` states, which overrides the document.
void read_entry(const Value& entry,
                PodLabels& labels,
                sim::Job& job,
                bool& size_given,
                Diagnostics& diagnostics) {
    MapReader map(entry, "an entry of groups", diagnostics);
    (void)map.take("file");
    (void)map.take("document");
    (void)map.take("after");  // JobTies reads it
    job.name = map.text("name", job.name);
    if (map.take("size") != nullptr) {
        const bool all = !size_given || job.min_available == job.size;
        job.size = map.integer("size", job.size, 1, size_max);
        job.min_available = all ? job.size : std::min(job.min_available, job.size);
        size_given = true;
    }
    if (map.take("minAvailable") != nullptr) {
        job.min_available = map.integer("minAvailable", job.size, 1, job.size);
    }
    job.submit = read_duration(map, "at").value_or(sim::SimTime(0));
    job.duration = read_duration(map, "lifetime");
    job.estimate = read_duration(map, "estimate");
    labels.read(map, job);
    job.resizes = read_resizes(map.take("resize"), diagnostics);
    map.report_unknown_keys();
}

}  // namespace

sim::Job read_group(const Value& document,
                    const Value* entry,
                    const PodTypes& types,
                    PodLabels& labels,
                    const core::Topology& tree,
                    Diagnostics& diagnostics) {
    sim::Job job;
    job.group = true;
    job.demand.resize(tree.resources().size());
    if (document.is_map() && document.find("spec") == nullptr) {
        diagnostics.error(document.span,
                          "a GroupPlacement has no 'spec': expected spec: {group: {name: ..., "
                          "size: ..., type: ...}}");
        return job;
    }
    MapReader top(document, "a GroupPlacement", diagnostics);
    job.name = read_header(top, "berth/v1", "group");
    if (const Value* kind = top.take("kind"); kind != nullptr && kind->text != "GroupPlacement") {
        expected(*kind, "GroupPlacement", diagnostics);
    }
    const Value* spec_value = top.need("spec");
    top.report_unknown_keys();
    if (spec_value == nullptr) {
        return job;
    }
    MapReader spec(*spec_value, "a GroupPlacement's spec", diagnostics);
    const Value* group_value = spec.need("group");
    bool size_given = false;
    if (group_value != nullptr) {
        MapReader group(*group_value, "spec.group", diagnostics);
        job.name = group.text("name", job.name);
        size_given = group.take("size") != nullptr;
        job.size = group.integer("size", 1, 1, size_max);
        job.min_available = group.integer("minAvailable", job.size, 1, job.size);
        const Value* type = group.need("type");
        if (type != nullptr) {
            types.ask(*type, job, diagnostics);
        }
        group.report_unknown_keys();
    }
    job.constraints = read_constraints(spec.take("constraints"), tree, diagnostics);
    spec.report_unknown_keys();
    if (entry != nullptr) {
        read_entry(*entry, labels, job, size_given, diagnostics);
    }
    if (group_value != nullptr && !size_given) {
        diagnostics.error(group_value->span, "the group has no 'size': expected one");
    }
    check_amounts(
        job, entry != nullptr ? entry->span : document.span, tree.resources(), diagnostics);
    return job;
}

}  // namespace berth::experiments
