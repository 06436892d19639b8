#include "experiments/program/config/profile/plugin_points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "core/gpu_sharing/gpu_policy.hpp"
#include "core/gpu_sharing/tree_policy.hpp"
#include "core/index/scorer.hpp"
#include "core/machine_allocators/machine_allocator.hpp"
#include "sim/queue/queue_policy.hpp"

namespace berth::experiments {
namespace {

using Place = std::pair<std::string, std::string_view>;

/// Every plug-in with its point. If a plug-in has several points, the first one is given.
std::vector<Place> places() {
    std::vector<Place> out{{"elastic-quota", "preFilter"},
                           {"resources-fit", "filter"},
                           {"allocation-candidates", "filter"},
                           {"gang-preemption", "postFilter"},
                           {"in-quota-preemption", "postFilter"},
                           {"gpu-sharing", "reserve"}};
    const auto add = [&](const auto& registry, std::string_view point) {
        for (const auto& entry : registry) {
            out.emplace_back(entry.name, point);
        }
    };
    add(sim::queue_policies(), "queueSort");
    add(core::scorers(), "score");
    add(core::gpu_policies(), "score");
    add(core::tree_policies(), "score");
    add(core::machine_allocators(), "reserve");
    return out;
}

/// The point of the plug-in with this name; empty if there is no such plug-in.
std::string_view point_of(std::string_view plugin) {
    const std::vector<Place> all = places();
    const auto found = std::ranges::find(all, plugin, &Place::first);
    return found == all.end() ? std::string_view() : found->second;
}

}  // namespace

std::optional<std::string> plugin_name(const core::Value& value, core::Diagnostics& diagnostics) {
    const core::Value* name = value.is_map() ? value.find("name") : &value;
    if (name == nullptr || !name->is_scalar()) {
        expected(value, "a plug-in's name, or {name: ..., its own options}", diagnostics);
        return std::nullopt;
    }
    return name->text;
}

std::string other_point(std::string_view plugin, std::string_view point) {
    const std::string_view own = point_of(plugin);
    return own.empty() || own == point ? "" : fmt::format("; {} is for {}", plugin, own);
}

std::string profile_for(const std::string& text, std::string_view before, std::string_view after) {
    const std::string_view point = point_of(text);
    if (!point.empty()) {
        return fmt::format("{}{{{}: {}}}{}", before, point, text, after);
    }
    std::vector<std::string> names;
    for (const Place& place : places()) {
        names.push_back(place.first);
    }
    return fmt::format("{}{{queueSort: fifo, score: best-fit}}{} or the like{}",
                       before,
                       after,
                       core::suggestion(text, names));
}

}  // namespace berth::experiments
