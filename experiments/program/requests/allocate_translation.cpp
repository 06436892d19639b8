#include "experiments/program/requests/allocate_translation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "core/group_allocator/best_tree.hpp"
#include "core/group_allocator/group_translation.hpp"
#include "experiments/program/requests/group_fields.hpp"

namespace berth::experiments {
namespace {

constexpr const char* place = "translation";

core::GroupAmountList list_of(core::GroupAmounts amounts) {
    return {amounts.begin(), amounts.end()};
}

/// `{"kind": "gpu", "gpuCount", "nodeAllocatable", "requests"}`.
Json answer_gpu(const Json& request) {
    const std::int64_t count = gpu_count(need(request, "gpuCount", place), "gpuCount");
    const auto levels = core::gpu_levels(group_amounts(request, "nodeAllocatable", place));
    const auto requests = list_of(group_amounts(request, "requests", place));
    return {{"requests", to_json(core::translate_gpu_requests(count, levels, requests))}};
}

/// `{"kind": "addNode", "gpuCount", "nodeAllocatable"}`: what a node is taken to have.
Json answer_add_node(const Json& request) {
    const std::int64_t count = gpu_count(need(request, "gpuCount", place), "gpuCount");
    const auto node = list_of(group_amounts(request, "nodeAllocatable", place));
    return {
        {"allocatable", to_json(core::translate_gpu_requests(count, core::all_gpu_levels, node))}};
}

/// The name of a stage, with slashes around it.
std::string stage_name(const Json& request, const char* key) {
    const std::string name = text(need(request, key, place), key);
    if (name.empty() || name.find('/') != std::string::npos) {
        throw RequestError(fmt::format("{} is '{}': expected a name without '/'", key, name));
    }
    return "/" + name + "/";
}

/// `{"kind": "stage", "thisStage", "nextStage", "nodeAllocatable", "requests"}`.
Json answer_stage(const Json& request) {
    const std::string here = stage_name(request, "thisStage");
    const std::string next = stage_name(request, "nextStage");
    const core::GroupStage stage{here, next};
    const auto node = group_amounts(request, "nodeAllocatable", place);
    auto requests = list_of(group_amounts(request, "requests", place));
    const bool known = std::ranges::any_of(
        node, [&](const auto& entry) { return stage.enclosing(entry.first).has_value(); });
    const bool modified = known && core::translate_stage(stage, requests);
    return {{"modified", modified}, {"requests", to_json(requests)}};
}

const Json& list(const Json& request, const char* key) {
    const Json& value = need(request, key, place);
    if (!value.is_array()) {
        throw RequestError(fmt::format("{} is {}: expected a list", key, shown(value)));
    }
    return value;
}

struct Container {
    std::string name;
    std::int64_t gpu_count = 0;
    core::GroupAmounts requests;
};

std::vector<Container> containers(const Json& request, const char* key) {
    std::vector<Container> out;
    for (const Json& json : list(request, key)) {
        Container container;
        container.name = text(need(json, "name", "a container"), "name");
        container.requests = group_amounts(json, "requests", container.name, true);
        container.gpu_count = gpu_count_of(json, container.requests);
        out.push_back(std::move(container));
    }
    return out;
}

Json describe(const core::GpuTreeCache::Entry& entry) {
    std::vector<std::string> nodes = entry.nodes;
    std::ranges::sort(nodes);
    return {{"nodes", std::move(nodes)},
            {"tree", core::to_string(entry.tree)},
            {"score", std::isnan(entry.score) ? Json("NaN") : Json(entry.score)}};
}

/// `{"kind": "bestTree", "nodes": [{"name", "allocatable"}], "runningContainers": [{"name",
/// "gpuCount", "requests"}], "initContainers"}`.
Json answer_best_tree(const Json& request) {
    core::GpuTreeCache trees;
    for (const Json& node : list(request, "nodes")) {
        const std::string name = text(need(node, "name", "a node"), "name");
        trees.add(name, group_amounts(node, "allocatable", name, true));
    }
    std::vector<Container> all = containers(request, "runningContainers");
    std::int64_t count = 0;
    for (const Container& container : all) {
        count += container.gpu_count;
    }
    if (request.contains("initContainers") && !request.at("initContainers").is_null()) {
        for (Container& container : containers(request, "initContainers")) {
            count = std::max(count, container.gpu_count);
            all.push_back(std::move(container));
        }
    }
    const core::GpuTree* tree = trees.best(count);
    Json answers = Json::object();
    for (const Container& container : all) {
        answers[container.name] = to_json(
            tree == nullptr ? container.requests
                            : core::request_tree(*tree, container.gpu_count, container.requests));
    }
    std::vector<Json> cache;
    std::ranges::transform(trees.entries(), std::back_inserter(cache), describe);
    std::ranges::sort(
        cache, {}, [](const Json& entry) { return entry.at("nodes").at(0).get<std::string>(); });
    return {{"found", tree != nullptr}, {"containers", std::move(answers)}, {"cache", cache}};
}

}  // namespace

Json answer_translation_request(const Json& request) {
    const Json& translation = need(request, "translation", "the request");
    (void)need(translation, "kind", place);
    constexpr std::array answers{&answer_gpu, &answer_stage, &answer_add_node, &answer_best_tree};
    return answers[choice(translation, "kind", {"gpu", "stage", "addNode", "bestTree"})](
        translation);
}

}  // namespace berth::experiments
