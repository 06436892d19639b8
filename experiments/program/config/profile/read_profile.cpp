#include "experiments/program/config/profile/read_profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/gpu_sharing/gpu_policy.hpp"
#include "core/machine_allocators/machine_allocator.hpp"
#include "core/support/text.hpp"
#include "core/tree/topology.hpp"
#include "experiments/program/config/document/fields.hpp"
#include "experiments/program/config/document/scheduler_documents.hpp"
#include "experiments/program/config/profile/plugin_points.hpp"
#include "experiments/program/config/profile/read_outside.hpp"
#include "experiments/program/config/profile/read_queue_policy.hpp"
#include "experiments/program/config/profile/read_score.hpp"
#include "experiments/program/config/quota/read_quota_settings.hpp"
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
        diagnostics.error(spares->span, "spares that nobody takes: expected name: replace");
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
        diagnostics.error(map.take("grace")->span, "grace of nothing: expected name: stop");
    }
    map.report_unknown_keys();
    return stops ? std::optional(grace.value_or(sim::SimTime(0))) : std::nullopt;
}

/// A point at which plug-ins are listed: the named plug-ins, each with its options.
class PluginList {
public:
    PluginList(MapReader& profile, const std::string& point, std::vector<std::string> known)
        : diagnostics_(profile.diagnostics()) {
        const Value* list = profile.take(point);
        given_ = list != nullptr;
        for (std::size_t i = 0; list != nullptr && i < list->items.size(); ++i) {
            const Value& item = list->items[i];
            const auto named = plugin_name(item, diagnostics_);
            if (!named) {
                continue;
            }
            const std::string& name = *named;
            if (std::ranges::find(known, name) == known.end()) {
                diagnostics_.error(item.span,
                                   fmt::format("unknown {} plug-in '{}': expected {}{}{}",
                                               point,
                                               name,
                                               core::alternatives(known),
                                               core::suggestion(name, known),
                                               other_point(name, point)));
            } else {
                found_[name] = &item;
            }
        }
    }

    /// Whether the profile mentions this point.
    [[nodiscard]] bool given() const { return given_; }
    [[nodiscard]] bool has(const std::string& name) const { return found_.contains(name); }
    /// Reads the options of a plug-in; a plug-in that is only named has none.
    template <class Read>
    void options(const std::string& name, Read read) {
        const Value nothing{Value::Kind::map, {}, {}, {}, {}};
        const Value& item = *found_.at(name);
        MapReader map(item.is_map() ? item : nothing, name, diagnostics_);
        (void)map.take("name");
        read(map);
        map.report_unknown_keys();
    }

private:
    Diagnostics& diagnostics_;
    bool given_ = false;
    std::map<std::string, const Value*> found_;
};

sim::QuotaSettings& quotas_of(sim::Settings& settings) {
    if (!settings.quotas) {
        settings.quotas.emplace();
    }
    return *settings.quotas;
}

/// Given quotas are enforced unless preFilter is given without them.
void read_quota_admission(MapReader& profile, sim::Settings& settings) {
    PluginList plugins(profile, "preFilter", {"elastic-quota"});
    if (!plugins.has("elastic-quota")) {
        if (settings.quotas && plugins.given()) {
            settings.quotas->admission = false;
        }
        return;
    }
    plugins.options("elastic-quota", [&](MapReader& map) {
        sim::QuotaSettings& quotas = quotas_of(settings);
        quotas.rules.limit =
            static_cast<core::QuotaLimit>(map.choice("limit", {"runtime", "max", "min"}, 0));
        quotas.rules.check_parents = map.boolean("checkParents", false);
        quotas.scale_min = map.boolean("scaleMin", true);
        quotas.refresh = read_duration(map, "refresh").value_or(quotas.refresh);
        if (const Value* most = map.take("defaultGroupMax")) {
            quotas.default_group_max = read_quantities(*most, map.diagnostics());
            for (const auto& [resource, amount] : quotas.default_group_max) {
                if (amount < 0) {
                    expected(*most->find(resource), "no negative amount", map.diagnostics());
                }
            }
        }
    });
}

void read_preemption(MapReader& profile, sim::Settings& settings) {
    const Value* list = profile.take("postFilter");
    PluginList plugins(profile, "postFilter", {"gang-preemption", "in-quota-preemption"});
    if (plugins.has("gang-preemption") && plugins.has("in-quota-preemption")) {
        expected(*list,
                 "one of them, of which gang-preemption is for single pods too",
                 profile.diagnostics());
    }
    if (plugins.has("gang-preemption")) {
        plugins.options("gang-preemption", [&](MapReader& map) {
            quotas_of(settings).gang_preemption.emplace().reclaim = map.boolean("reclaim", false);
        });
    }
    if (plugins.has("in-quota-preemption")) {
        plugins.options("in-quota-preemption", [&](MapReader& map) {
            quotas_of(settings).preemption.emplace().default_group =
                map.boolean("defaultGroup", false);
        });
    }
}

std::vector<std::string> allocator_names() {
    std::vector<std::string> names;
    for (const core::MachineAllocatorEntry& entry : core::machine_allocators()) {
        names.emplace_back(entry.name);
    }
    return names;
}

/// Reads `reserve`: at most one allocator of devices, or gpu-sharing.
void read_reserve(MapReader& profile, sim::Profile& out, bool share_gpus) {
    const std::string sharing = "gpu-sharing";
    const Value* list = profile.take("reserve");
    std::vector<std::string> known = allocator_names();
    known.push_back(sharing);
    PluginList plugins(profile, "reserve", known);
    if (plugins.has(sharing)) {
        plugins.options(sharing, [&](MapReader& map) {
            out.inside.gpus.emplace().ties_at_random =
                map.choice("ties", {"first", "random"}, 0) == 1;
        });
    } else if (share_gpus && !plugins.given()) {
        out.inside.gpus.emplace();
    }
    for (const std::string& name : allocator_names()) {
        if (!plugins.has(name)) {
            continue;
        }
        if (out.inside.devices || out.inside.gpus) {
            expected(*list, "one allocator of devices", profile.diagnostics());
            return;
        }
        out.inside.devices.emplace().allocator = name;
        plugins.options(name, [&](MapReader& map) {
            if (name == "first-fit") {
                return;
            }
            const std::string document = name == "group-allocator" ? "paper" : "documented";
            out.inside.devices->rules.published =
                map.choice("rules", {document, "published"}, 0) == 1;
            out.inside.devices->rules.exact = map.choice("solver", {"greedy", "exact"}, 0) == 1;
        });
    }
}

/// Refuses random ties beside score plug-ins: only the policies of the FGD paper draw one of
/// several equally good servers.
void refuse_ties_that_nobody_draws(const Value* reserve,
                                   const sim::Profile& profile,
                                   Diagnostics& diagnostics) {
    if (!profile.inside.gpus || !profile.inside.gpus->ties_at_random ||
        std::ranges::find(core::gpu_policies(),
                          profile.inside.gpus->policy,
                          &core::GpuPolicyEntry::name) != core::gpu_policies().end()) {
        return;
    }
    for (const Value& plugin : reserve->items) {
        if (const Value* ties = plugin.is_map() ? plugin.find("ties") : nullptr) {
            diagnostics.error(ties->span,
                              "ties: random beside score plug-ins that take the first of equal "
                              "servers: expected first, or a score that draws, such as best-fit");
        }
    }
}

/// The allocator of devices always filters, so it may also be named at filter.
void read_filter(MapReader& profile, sim::Profile& out) {
    const std::string by_candidates = "allocation-candidates";
    const Value* list = profile.take("filter");
    std::vector<std::string> known{"resources-fit"};
    if (out.inside.devices) {
        known.push_back(out.inside.devices->allocator);
    }
    known.push_back(by_candidates);
    PluginList plugins(profile, "filter", known);
    for (const std::string& name : known) {
        if (plugins.has(name) && name != by_candidates) {
            plugins.options(name, [](MapReader& /*none*/) {});
        }
    }
    if (!plugins.has(by_candidates)) {
        return;
    }
    plugins.options(by_candidates, [&](MapReader& map) {
        out.inside.candidates.emplace().choice =
            static_cast<sim::CandidateChoice>(map.choice("choice", {"first", "pack", "spread"}, 0));
    });
    if (out.inside.devices || out.inside.gpus) {
        profile.diagnostics().error(
            list->span,
            fmt::format("{} beside reserve: [{}]: expected one of them, for both give out devices",
                        by_candidates,
                        out.inside.devices ? out.inside.devices->allocator : "gpu-sharing"));
    }
}

/// Reads queueSort. Call this once the rest of the profile is known.
void read_queue_sort(MapReader& profile, sim::Settings& settings) {
    const Value* value = profile.take("queueSort");
    if (value == nullptr) {
        return;
    }
    Diagnostics& diagnostics = profile.diagnostics();
    sim::QueuePolicy& queue = settings.profile.queue;
    queue = read_queue_policy(*value, "queueSort", diagnostics);
    if (queue.owners == sim::OwnerMeasure::dominant_share && !settings.quotas) {
        diagnostics.error(value->span,
                          "drf without quotas: expected quotas among which to be fair");
    }
}

/// Returns the profile with a list around each single plug-in at points that take lists.
Value with_lists(Value profile) {
    for (const char* point : {"preFilter", "filter", "postFilter", "score", "reserve"}) {
        Value* plugins = profile.find(point);
        if (plugins != nullptr && (plugins->is_scalar() || plugins->is_map())) {
            Value list{Value::Kind::list, {}, {}, {}, plugins->span};
            list.items.push_back(std::move(*plugins));
            *plugins = std::move(list);
        }
    }
    return profile;
}

void read_profile(const Value* value,
                  bool share_gpus,
                  sim::Settings& settings,
                  Diagnostics& diagnostics) {
    const Value nothing{Value::Kind::map, {}, {}, {}, {}};
    if (value != nullptr && value->is_scalar()) {
        expected(*value, profile_for(value->text), diagnostics);
        value = nullptr;
    }
    const Value lists = with_lists(value != nullptr ? *value : nothing);
    MapReader map(lists, "a profile", diagnostics);
    // Takes the points in the order of the scheduling framework, whatever is read first.
    for (const char* point :
         {"queueSort", "preFilter", "filter", "postFilter", "placementGroup", "score", "reserve"}) {
        (void)map.take(point);
    }
    sim::Profile& profile = settings.profile;
    read_quota_admission(map, settings);
    read_reserve(map, profile, share_gpus || asks_for_shared_gpus(map.take("score")));
    read_filter(map, profile);
    read_queue_sort(map, settings);
    read_preemption(map, settings);
    if (const Value* group = map.take("placementGroup")) {
        MapReader group_map(*group, "placementGroup", diagnostics);
        profile.solver =
            static_cast<sim::Solver>(group_map.choice("solver", {"greedy", "exact"}, 0));
        profile.num_fit =
            static_cast<core::NumFit>(group_map.choice("numFit", {"aggregate", "percolated"}, 0));
        group_map.report_unknown_keys();
    }
    const std::size_t errors = diagnostics.error_count();
    read_score(map.take("score"), profile, diagnostics);
    if (diagnostics.error_count() == errors) {
        refuse_ties_that_nobody_draws(map.take("reserve"), profile, diagnostics);
    }
    map.report_unknown_keys();
}

}  // namespace

namespace {

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

/// The scheduler with objects of its own whose key this is; nullptr if it is none's.
const SchedulerDocuments* scheduler_called(std::string_view key) {
    const std::span<const SchedulerDocuments> all = scheduler_documents();
    const auto found = std::ranges::find(all, key, &SchedulerDocuments::key);
    return found == all.end() ? nullptr : &*found;
}

/// The first of them that `scheduler` names; nullptr if it names none.
const SchedulerDocuments* scheduler_in(const Value& scheduler) {
    for (const SchedulerDocuments& one : scheduler_documents()) {
        if (scheduler.is_map() && scheduler.find(one.key) != nullptr) {
            return &one;
        }
    }
    return nullptr;
}

}  // namespace

void read_scheduler(const Value* value,
                    bool share_gpus,
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
    const SchedulerDocuments* with_objects = value != nullptr ? scheduler_in(*value) : nullptr;
    share_gpus = share_gpus && with_objects == nullptr;  // their quotas count whole GPUs
    if (other != nullptr) {
        outside = read_outside(map, *value);
    } else if (value != nullptr) {
        refuse_beside_profile(map, *value);
    }
    if (other != nullptr && !other->may_have_profile) {
        read_profile(nullptr, share_gpus, settings, diagnostics);
    } else {
        settings.period = read_duration(map, "period").value_or(sim::SimTime(0));
        settings.retry = map.choice("retry", {"always", "never"}, 0) == 0;
        read_profile(map.take("profile"), share_gpus, settings, diagnostics);
    }
    if (other == nullptr && with_objects != nullptr) {
        const Value& own = *map.take(std::string(with_objects->key));
        if (settings.quotas) {
            diagnostics.error(own.span,
                              fmt::format("{} beside quotas or preemption of berth's own: expected "
                                          "one of them, for both say who is admitted",
                                          with_objects->key));
        }
        settings.admission = with_objects->read(own, tree, diagnostics);
    }
    const Value* typical = map.take("typicalPods");
    if (typical != nullptr && !settings.profile.inside.gpus) {
        diagnostics.error(typical->span,
                          "typicalPods where GPUs are not shared: expected reserve: [gpu-sharing]");
    }
    settings.lost_work = map.number("lostWork", 1, 0, 1);
    settings.limit_grace = read_at_limit(map.take("atLimit"), diagnostics);
    const Value* on_failure = map.take("onFailure");
    read_on_failure(on_failure, tree, settings.on_failure, diagnostics);
    if (other != nullptr && settings.on_failure.shrinks) {
        diagnostics.error(on_failure->span,
                          fmt::format("groups that go on at once beside {}: expected requeue or "
                                      "requeue-last, for that scheduler says who starts",
                                      other->key));
    }
    const bool elastic = settings.quotas && settings.quotas->admission &&
                         settings.quotas->rules.limit == core::QuotaLimit::runtime;
    if (settings.quotas && settings.quotas->recycler && !elastic) {
        // The recycler takes back by runtime only what was admitted by runtime.
        settings.quotas->recycler.reset();
        diagnostics.warning(
            map.span(), "recycler without elastic-quota and limit: runtime: it revokes nothing");
    }
    map.report_unknown_keys();
}

}  // namespace berth::experiments
