#include "experiments/program/config/profile/read_score.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/gpu_sharing/gpu_policy.hpp"
#include "core/gpu_sharing/tree_policy.hpp"
#include "core/index/scorer.hpp"
#include "core/support/parse_number.hpp"
#include "experiments/program/config/document/fields.hpp"
#include "experiments/program/config/profile/plugin_points.hpp"

namespace berth::experiments {
namespace {

using core::Diagnostics;
using core::MapReader;
using core::Value;

bool is_tree_policy(std::string_view name) {
    return std::ranges::find(core::tree_policies(), name, &core::TreePolicyEntry::name) !=
           core::tree_policies().end();
}

bool is_gpu_policy(std::string_view name) {
    return is_tree_policy(name) ||
           std::ranges::find(core::gpu_policies(), name, &core::GpuPolicyEntry::name) !=
               core::gpu_policies().end();
}

/// Reads `gangs: {8: 3, 64: 1}`: the GPUs of a typical gang, and the weight of that gang.
std::vector<core::TypicalGang> read_gangs(const Value* value, Diagnostics& diagnostics) {
    if (value == nullptr) {
        return {{8, 1}, {16, 1}, {32, 1}, {64, 1}};
    }
    std::vector<core::TypicalGang> gangs;
    for (const core::Member& member : value->members) {
        const auto weight = read_integer(member.value, diagnostics, 1, 1'000'000);
        const std::int64_t gpus = core::parse_number<std::int64_t>(member.key).value_or(0);
        if (gpus < 1 || gpus > 1'000'000) {
            diagnostics.error(member.key_span,
                              fmt::format("found '{}': expected a gang's number of GPUs, from 1 to "
                                          "1000000",
                                          member.key));
        }
        gangs.push_back({std::max<std::int64_t>(gpus, 1), weight.value_or(1)});
    }
    if (gangs.empty()) {
        expected(*value, "GPUs of gangs with their weights, such as {8: 3, 64: 1}", diagnostics);
    }
    return gangs;
}

}  // namespace

bool asks_for_shared_gpus(const Value* list) {
    return list != nullptr && std::ranges::any_of(list->items, [](const Value& item) {
               const Value* name = item.is_map() ? item.find("name") : &item;
               return name != nullptr && is_gpu_policy(name->text) &&
                      std::ranges::find(core::scorers(), name->text, &core::ScorerEntry::name) ==
                          core::scorers().end();
           });
}

namespace {

/// A policy for shared GPUs must be the only score plug-in, because its points cannot be compared
/// with those of others. best-fit is such a policy if GPUs are shared, and otherwise a score
/// plug-in.
void read_gpu_policy(const Value& list, sim::Profile& profile, Diagnostics& diagnostics) {
    for (const Value& item : list.items) {
        const auto name = plugin_name(item, diagnostics);
        if (!name || !is_gpu_policy(*name)) {
            continue;
        }
        if (list.items.size() > 1) {
            diagnostics.error(
                item.span,
                fmt::format("{} cannot be used with other plug-ins: expected it alone", *name));
        }
        if (item.is_map()) {
            MapReader map(item, "a score plug-in", diagnostics);
            (void)map.take("name");
            (void)map.integer("weight", 1, 1, 1'000'000);
            if (*name == "topology-aware-fragmentation") {
                profile.inside.gpus->gangs = read_gangs(map.take("gangs"), diagnostics);
            }
            map.report_unknown_keys();
        } else if (*name == "topology-aware-fragmentation") {
            profile.inside.gpus->gangs = read_gangs(nullptr, diagnostics);
        }
        profile.inside.gpus->policy = *name;
    }
}

/// The names that a wrong name may have been meant as.
std::vector<std::string> with_gpu_policies(std::vector<std::string> names) {
    for (const core::GpuPolicyEntry& entry : core::gpu_policies()) {
        names.emplace_back(entry.name);
    }
    for (const core::TreePolicyEntry& entry : core::tree_policies()) {
        names.emplace_back(entry.name);
    }
    return names;
}

}  // namespace

void read_score(const Value* list, sim::Profile& profile, Diagnostics& diagnostics) {
    const auto add = [&](std::string_view name, std::int64_t weight) {
        const auto entry = std::ranges::find(core::scorers(), name, &core::ScorerEntry::name);
        profile.score.push_back({entry->make(), weight});
    };
    if (list == nullptr) {
        add("least-allocated", 1);
        return;
    }
    if (profile.inside.gpus) {
        read_gpu_policy(*list, profile, diagnostics);
        if (!profile.inside.gpus->policy.empty()) {
            return;
        }
    }
    std::vector<std::string> names;
    for (const core::ScorerEntry& entry : core::scorers()) {
        names.emplace_back(entry.name);
    }
    std::set<std::string> seen;
    for (const Value& item : list->items) {
        const auto named = plugin_name(item, diagnostics);
        if (!named) {
            continue;
        }
        const std::string& name = *named;
        if (!seen.insert(name).second) {
            diagnostics.error(item.span,
                              fmt::format("score plug-in '{}' a second time: expected it once, "
                                          "with its weight",
                                          name));
            continue;
        }
        std::int64_t weight = 1;
        if (item.is_map()) {
            MapReader map(item, "a score plug-in", diagnostics);
            (void)map.take("name");
            weight = map.integer("weight", 1, 1, 1'000'000);
            map.report_unknown_keys();
        }
        if (is_gpu_policy(name) && std::ranges::find(names, name) == names.end()) {
            diagnostics.error(item.span,
                              fmt::format("{} cannot be used where GPUs are not shared: expected "
                                          "reserve: [gpu-sharing] as well",
                                          name));
        } else if (profile.inside.devices && name == profile.inside.devices->allocator &&
                   name != "first-fit") {
            profile.inside.devices->weight = weight;
        } else if (std::ranges::find(names, name) == names.end()) {
            std::vector<std::string> all = with_gpu_policies(names);
            std::ranges::sort(all);
            all.erase(std::ranges::unique(all).begin(), all.end());
            diagnostics.error(item.span,
                              fmt::format("unknown score plug-in '{}': expected {}{}{}",
                                          name,
                                          core::alternatives(all),
                                          core::suggestion(name, all),
                                          other_point(name, "score")));
        } else {
            add(name, weight);
        }
    }
    if (list->items.empty()) {
        expected(*list, "a list of score plug-ins", diagnostics);
    }
}

}  // namespace berth::experiments
