#include "experiments/program/config/profile/read_scheduler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/support/text.hpp"
#include "core/tree/topology.hpp"
#include "experiments/program/config/document/fields.hpp"
#include "experiments/program/config/document/scheduler_documents.hpp"
#include "experiments/program/config/profile/plugin_points.hpp"
#include "experiments/program/config/profile/read_outside.hpp"
#include "experiments/program/config/profile/read_profile.hpp"
#include "sim/cluster/drain_calendar.hpp"
#include "sim/profile/settings.hpp"

namespace berth::experiments {
namespace {

using core::Diagnostics;
using core::MapReader;
using core::Value;

/// Reads `{level: rack, count: 2}`, with a level above the servers. A node must have more servers
/// than spares, or none of its servers could be used.
std::optional<sim::SpareServers> read_spares(const Value& value,
                                             const core::Topology* tree,
                                             Diagnostics& diagnostics) {
    MapReader map(value, "spares", diagnostics);
    const Value* name = map.need("level");
    const auto count = map.integer("count", 1, 0, std::numeric_limits<std::uint32_t>::max());
    map.report_unknown_keys();
    if (name == nullptr || tree == nullptr) {
        return std::nullopt;
    }
    std::vector<std::string> levels = tree->level_names();
    levels.pop_back();  // without the level of the servers
    const auto level = std::ranges::find(levels, name->text);
    if (level == levels.end()) {
        expected(
            *name, core::alternatives(levels) + core::suggestion(name->text, levels), diagnostics);
        return std::nullopt;
    }
    const core::Level of{static_cast<std::uint32_t>(level - levels.begin())};
    for (const core::NodeId node : tree->level_nodes(of)) {
        const std::size_t servers = sim::servers_below(*tree, node).size();
        if (std::cmp_greater_equal(count, servers)) {
            diagnostics.error(value.span,
                              fmt::format("{} spares of {}, which has {} servers: expected fewer "
                                          "spares than servers",
                                          count,
                                          tree->path(node),
                                          servers));
            return std::nullopt;
        }
    }
    return sim::SpareServers{of, static_cast<std::uint32_t>(count)};
}

/// Reads `scheduler.onFailure`: `requeue`, or `{name: replace, giveUpAfter: 10, spares: {level:
/// rack, count: 2}}`. `value` may be nullptr, which leaves `rule` unchanged; `tree` may be nullptr
/// if the topology has errors.
/// Errors: recorded at their places.
void read_on_failure(const Value* value,
                     const core::Topology* tree,
                     sim::OnFailure& rule,
                     Diagnostics& diagnostics) {
    if (value == nullptr) {
        return;
    }
    Value named = *value;
    if (value->is_scalar()) {
        named = {Value::Kind::map, {}, {}, {{"name", value->span, *value}}, value->span};
    }
    MapReader map(named, "onFailure", diagnostics);
    (void)map.need("name");
    const std::size_t name =
        map.choice("name", {"requeue-last", "requeue", "shrink", "replace"}, 0);
    rule.keeps_place = name >= 1;
    rule.shrinks = name >= 2;
    rule.replaces = name == 3;
    rule.give_up_after = static_cast<std::uint32_t>(map.integer(
        "giveUpAfter", rule.give_up_after, 1, std::numeric_limits<std::uint32_t>::max()));
    if (const Value* spares = map.take("spares"); spares != nullptr && rule.replaces) {
        rule.spares = read_spares(*spares, tree, diagnostics);
    } else if (spares != nullptr) {
        diagnostics.error(
            spares->span,
            "spares are taken only with name: replace: expected name: replace, or no spares");
    }
    map.report_unknown_keys();
}

/// Reads what happens to a job that runs longer than its requested time. Errors: recorded.
std::optional<sim::SimTime> read_at_limit(const Value* value, Diagnostics& diagnostics) {
    if (value == nullptr) {
        return std::nullopt;
    }
    Value named = *value;
    if (value->is_scalar()) {
        named = {Value::Kind::map, {}, {}, {{"name", value->span, *value}}, value->span};
    }
    MapReader map(named, "atLimit", diagnostics);
    (void)map.need("name");
    const bool stops = map.choice("name", {"run-on", "stop"}, 0) == 1;
    const auto grace = read_duration(map, "grace");
    if (grace && !stops) {
        diagnostics.error(
            map.take("grace")->span,
            "grace has no effect with name: run-on, which stops no job: expected name: stop");
    }
    map.report_unknown_keys();
    return stops ? std::optional(grace.value_or(sim::SimTime(0))) : std::nullopt;
}

/// Tells, for keys of the profile that are beside it, where they belong.
void refuse_beside_profile(MapReader& map, const Value& scheduler) {
    const auto refuse = [&](const core::Member& member, const std::string& place) {
        (void)map.take(member.key);
        map.diagnostics().error(
            member.key_span,
            fmt::format("'{}' in scheduler: expected {} in it", member.key, place));
    };
    for (const core::Member& member : scheduler.members) {
        if (member.key == "policy" || member.key == "policies") {
            refuse(member, "profile: {score: [...]}, or queueSort for the order of jobs,");
        }
        for (const char* key : {"queueSort",
                                "preFilter",
                                "filter",
                                "postFilter",
                                "placementGroup",
                                "score",
                                "reserve"}) {
            if (member.key == key) {
                refuse(member, fmt::format("profile: {{{}: ...}}", key));
            }
        }
    }
}

/// Makes the message about an unknown key name the other kinds of schedulers, too.
void know_other_schedulers(MapReader& map, const Value& scheduler) {
    const auto know = [&](std::string_view key) {
        const Value* own = scheduler.is_map() ? scheduler.find(key) : nullptr;
        if (own == nullptr || own->kind == Value::Kind::null) {
            (void)map.take(std::string(key));
        }
    };
    for (const OutsideKind& kind : outside_kinds()) {
        know(kind.key);
    }
    for (const SchedulerDocuments& one : scheduler_documents()) {
        know(one.key);
    }
}

/// The scheduler with objects of its own whose key this is; nullptr if it is none's.
const SchedulerDocuments* scheduler_called(std::string_view key) {
    const std::span<const SchedulerDocuments> all = scheduler_documents();
    const auto found = std::ranges::find(all, key, &SchedulerDocuments::key);
    return found == all.end() ? nullptr : &*found;
}

/// The first scheduler with objects that `scheduler` names and that places jobs itself, or that
/// only admits them; nullptr if it names none.
const SchedulerDocuments* scheduler_in(const Value* scheduler, bool places) {
    for (const SchedulerDocuments& one : scheduler_documents()) {
        const bool is_map = scheduler != nullptr && scheduler->is_map();
        const Value* own = is_map ? scheduler->find(one.key) : nullptr;
        if (own != nullptr && own->kind != Value::Kind::null &&
            (one.read_scheduler != nullptr) == places) {
            return &one;
        }
    }
    return nullptr;
}

}  // namespace

void read_scheduler(const Value* value,
                    bool share_gpus,
                    const Value* topology,
                    const core::Topology* tree,
                    sim::Settings& settings,
                    std::optional<OutsideScheduler>& outside,
                    Diagnostics& diagnostics) {
    const Value nothing{Value::Kind::map, {}, {}, {}, {}};
    if (value != nullptr && value->is_scalar()) {
        const SchedulerDocuments* called = scheduler_called(value->text);
        expected(*value,
                 called != nullptr ? std::string(called->example)
                                   : profile_for(value->text, "{profile: ", "}"),
                 diagnostics);
        value = nullptr;
    }
    MapReader map(value != nullptr ? *value : nothing, "scheduler", diagnostics);
    const OutsideKind* other = value != nullptr ? outside_kind(*value) : nullptr;
    const SchedulerDocuments* admits = other == nullptr ? scheduler_in(value, false) : nullptr;
    const SchedulerDocuments* places = other == nullptr ? scheduler_in(value, true) : nullptr;
    share_gpus = share_gpus && admits == nullptr && places == nullptr;  // they count whole GPUs
    if (other != nullptr) {
        outside = read_outside(map, *value);
    } else if (places != nullptr) {
        refuse_other_schedulers(map, *value, places->key, false);
    } else if (value != nullptr) {
        refuse_beside_profile(map, *value);
    }
    if (places != nullptr || (other != nullptr && !other->may_have_profile)) {
        read_profile(nullptr, share_gpus, settings, diagnostics);
    } else {
        settings.period = read_duration(map, "period").value_or(sim::SimTime(0));
        settings.retry = map.choice("retry", {"always", "never"}, 0) == 0;
        read_profile(map.take("profile"), share_gpus, settings, diagnostics);
    }
    for (const SchedulerDocuments* one : {admits, places}) {
        if (one == nullptr) {
            continue;
        }
        const Value& own = *map.take(std::string(one->key));
        if (settings.quotas) {
            diagnostics.error(
                own.span,
                fmt::format("{} cannot be used with quotas or preemption of berth's own, since "
                            "both decide which jobs are admitted: expected one of them",
                            one->key));
        }
        if (one == admits) {
            settings.admission = one->read(own, tree, places != nullptr, diagnostics);
        } else if (topology != nullptr && tree != nullptr) {
            settings.scheduler = one->read_scheduler(own, *topology, *tree, diagnostics);
            if (admits != nullptr && settings.scheduler != nullptr &&
                !settings.scheduler->why_alone().empty()) {
                diagnostics.error(own.span, settings.scheduler->why_alone());
            }
        }
    }
    const Value* typical = map.take("typicalPods");
    if (typical != nullptr && !settings.profile.inside.gpus) {
        diagnostics.error(
            typical->span,
            "typicalPods has no effect where GPUs are not shared: expected reserve: [gpu-sharing]");
    }
    settings.lost_work = map.number("lostWork", 1, 0, 1);
    settings.limit_grace = read_at_limit(map.take("atLimit"), diagnostics);
    const Value* on_failure = map.take("onFailure");
    read_on_failure(on_failure, tree, settings.on_failure, diagnostics);
    if ((other != nullptr || places != nullptr) && settings.on_failure.shrinks) {
        diagnostics.error(on_failure->span,
                          fmt::format("groups cannot go on at once with {}, since that scheduler "
                                      "decides which jobs start: expected requeue or requeue-last",
                                      other != nullptr ? other->key : places->key));
    }
    const bool elastic = settings.quotas && settings.quotas->admission &&
                         settings.quotas->rules.limit == core::QuotaLimit::runtime;
    if (settings.quotas && settings.quotas->recycler && !elastic) {
        // The recycler takes back by runtime only what was admitted by runtime.
        settings.quotas->recycler.reset();
        diagnostics.warning(
            map.span(), "recycler without elastic-quota and limit: runtime: it revokes nothing");
    }
    if (value != nullptr && other == nullptr) {
        know_other_schedulers(map, *value);
    }
    map.report_unknown_keys();
}

}  // namespace berth::experiments
