#include "experiments/program/config/profile/read_profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/gpu_sharing/gpu_policy.hpp"
#include "core/machine_allocators/machine_allocator.hpp"
#include "core/support/text.hpp"
#include "experiments/program/config/document/fields.hpp"
#include "experiments/program/config/profile/plugin_points.hpp"
#include "experiments/program/config/profile/read_queue_policy.hpp"
#include "experiments/program/config/profile/read_score.hpp"
#include "experiments/program/config/quota/read_quota_settings.hpp"

namespace berth::experiments {
namespace {

using core::Diagnostics;
using core::MapReader;
using core::Value;

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
            } else if (!found_.emplace(name, &item).second) {
                diagnostics_.error(item.span,
                                   fmt::format("{} a second time: expected it once", name));
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
        expected(
            *list, "one of them; gang-preemption is for single pods too", profile.diagnostics());
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
            diagnostics.error(
                ties->span,
                "ties: random cannot be used with score plug-ins that take the first of equal "
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
            fmt::format("{} cannot be used with reserve: [{}], since both give out devices: "
                        "expected one of them",
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

}  // namespace

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

}  // namespace berth::experiments
