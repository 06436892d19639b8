/// allocate/...: the scenario of the published group allocator's measurements. One idle node has
/// two group levels above the GPU, and each GPU has a card and its memory; one pod is translated
/// and fitted under that program's rules. allocate/loop/...: 1000 such nodes of 8 GPUs, with the
/// memo.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>

#include "core/group_allocator/group_allocator.hpp"
#include "core/group_allocator/group_translation.hpp"
#include "core/machine_allocators/machine_allocator.hpp"
#include "core/support/assert.hpp"
#include "experiments/program/bench/benchmark.hpp"

namespace berth::experiments {
namespace {

/// The groups of a node: the number of outer groups, of inner groups in each, and of GPUs in each
/// of those.
struct NodeShape {
    std::uint64_t outer = 2;
    std::uint64_t inner = 2;
    std::uint64_t gpus = 2;

    [[nodiscard]] std::uint64_t size() const { return outer * inner * gpus; }
};
constexpr std::array node_shapes{
    NodeShape{2, 2, 2}, NodeShape{2, 2, 4}, NodeShape{2, 4, 8}, NodeShape{4, 8, 8}};

core::GroupAmounts node_of(const NodeShape& shape) {
    core::GroupAmounts node;
    for (std::uint64_t gpu = 0; gpu < shape.size(); ++gpu) {
        const std::string device = fmt::format("resource/group/gpugrp1/{}/gpugrp0/{}/gpu/dev{}",
                                               gpu / (shape.inner * shape.gpus),
                                               gpu / shape.gpus,
                                               gpu);
        node[device + "/cards"] = 1;
        node[device + "/memory"] = 16'000;
    }
    return node;
}

/// A pod's request as its user writes it: a number of GPUs, or names in groups.
struct PodRequest {
    std::int64_t gpu_count = 0;
    core::GroupAmountList names;
};

PodRequest flat(std::int64_t gpus) {
    return {gpus, {}};
}

PodRequest one_group(std::uint32_t gpus) {
    PodRequest request;
    for (std::uint32_t i = 0; i < gpus; ++i) {
        request.names.emplace_back(fmt::format("resource/group/gpugrp0/A/gpu/{}/cards", i), 1);
    }
    return request;
}

/// One outer group with four inner ones of two GPUs each.
PodRequest nested_groups() {
    PodRequest request;
    for (std::uint32_t i = 0; i < 8; ++i) {
        request.names.emplace_back(
            fmt::format("resource/group/gpugrp1/A/gpugrp0/{}/gpu/{}/cards", i / 2, i), 1);
    }
    return request;
}

/// A node and a pod: each unit of work makes the pod anew, translates it and fits it.
class OneNode {
public:
    OneNode(const NodeShape& shape, PodRequest request)
        : node_(node_of(shape)),
          levels_(core::gpu_levels(node_)),
          tree_(node_, {}, core::published_group_rules.order),
          states_(tree_),
          request_(std::move(request)) {}

    core::GroupFit fit() {
        core::GroupPod pod(1);
        pod.front().name = "main";
        pod.front().demands =
            core::translate_gpu_requests(request_.gpu_count, levels_, request_.names);
        return allocator_.fit(tree_, *states_.idle(), pod);
    }
    [[nodiscard]] std::uint64_t locations_tried() const { return allocator_.locations_tried(); }

private:
    core::GroupAmounts node_;
    core::GpuLevels levels_;
    core::GroupTree tree_;
    core::GroupStates states_;
    core::GroupAllocator allocator_{core::published_group_rules};
    PodRequest request_;
};

void bench_node(const std::string& name,
                const PodRequest& request,
                std::uint64_t needs_inner,
                std::uint64_t needs_outer,
                const Bench& bench) {
    for (const NodeShape& shape : node_shapes) {
        OneNode node(shape, request);
        const bool fits = shape.gpus >= needs_inner && shape.inner * shape.gpus >= needs_outer;
        BERTH_ASSERT(node.fit().found == fits, "the scenario's pods fit where the groups are wide");
        Measurement out{"allocate/" + name, shape.size(), "translate and fit one pod", 0, 0, 0, {}};
        const std::uint64_t tried = node.locations_tried();
        std::uint64_t fitted = 0;
        bench.measure(out, 0.3, [&] {
            (void)node.fit();
            ++fitted;
        });
        out.counters["locations_tried"] = (node.locations_tried() - tried) / fitted;
        bench.report(out);
    }
}

/// Measures equal nodes of 8 GPUs, and one pod that is fitted on each of them.
void bench_loop(const std::string& name, const PodRequest& request, bool fits, const Bench& bench) {
    constexpr std::uint32_t nodes = 1000;
    core::MachineType type{"hgx", {}, {}};
    type.devices.push_back(
        {"gpu", 8, "", 16'000, {0, 0, 0, 0, 1, 1, 1, 1}, {0, 0, 1, 1, 2, 2, 3, 3}, {}, 0});
    const auto entry = std::ranges::find(
        core::machine_allocators(), "group-allocator", &core::MachineAllocatorEntry::name);
    const auto machine = entry->make(type, {.published = true});
    const std::vector<core::MachineState> states(nodes, core::MachineAllocator::idle());
    core::PodDevices pod;
    pod.text = name;
    pod.groups = {request.names.begin(), request.names.end()};
    pod.pod.requests.emplace(core::device_resource::nvidia_gpu, request.gpu_count);
    if (bench.sizes({nodes}).empty()) {
        return;
    }
    Measurement out{
        "allocate/loop/" + name, nodes, "the fit of one pod on every node", 0, 0, 0, {}};
    bench.measure(out, 0.3, [&] {
        std::size_t fitting = 0;
        for (const core::MachineState state : states) {
            fitting += machine->ask(pod, 0, state).fits ? 1 : 0;
        }
        BERTH_ASSERT(fitting == (fits ? nodes : 0), "like nodes answer alike");
    });
    out.counters["decisions"] = machine->decisions();
    bench.report(out);
}

}  // namespace

std::vector<Benchmark> allocate_benchmarks() {
    return {{"allocate/loop/flat1",
             "one GPU on each of 1000 like nodes, remembered",
             [](const Bench& bench) { bench_loop("flat1", flat(1), true, bench); }},
            {"allocate/loop/flat4",
             "the same, four GPUs",
             [](const Bench& bench) { bench_loop("flat4", flat(4), true, bench); }},
            {"allocate/loop/grp4",
             "the same, four GPUs in one inner group: none fits",
             [](const Bench& bench) { bench_loop("grp4", one_group(4), false, bench); }},
            {"allocate/flat1",
             "one GPU by number, translated and fitted on a node of two group levels",
             [](const Bench& bench) { bench_node("flat1", flat(1), 1, 1, bench); }},
            {"allocate/flat2",
             "the same, two GPUs",
             [](const Bench& bench) { bench_node("flat2", flat(2), 1, 1, bench); }},
            {"allocate/flat4",
             "the same, four GPUs",
             [](const Bench& bench) { bench_node("flat4", flat(4), 1, 1, bench); }},
            {"allocate/flat8",
             "the same, eight GPUs",
             [](const Bench& bench) { bench_node("flat8", flat(8), 1, 1, bench); }},
            {"allocate/grp1x8",
             "eight GPUs as four pairs within one outer group",
             [](const Bench& bench) { bench_node("grp1x8", nested_groups(), 2, 8, bench); }},
            {"allocate/grp2",
             "two GPUs in one inner group",
             [](const Bench& bench) { bench_node("grp2", one_group(2), 2, 2, bench); }},
            {"allocate/grp4", "four GPUs in one inner group", [](const Bench& bench) {
                 bench_node("grp4", one_group(4), 4, 4, bench);
             }}};
}

}  // namespace berth::experiments
