/// kube-devices/...: which of the eight GPUs of a node a claim gets, by a class with a selector. A
/// unit of work is one decision. It begins with what a run knows: the pools of the node, and which
/// selectors hold for its devices. `from-slices` begins with the slices of all nodes, as a request
/// of `berth kube` does.

#include <fmt/format.h>

#include <array>
#include <map>
#include <utility>
#include <vector>

#include "core/support/assert.hpp"
#include "experiments/program/bench/benchmark.hpp"
#include "experiments/program/bench/scheduler_bench.hpp"
#include "schedulers/kube/decide/device_allocator.hpp"
#include "schedulers/kube/decide/device_selectors.hpp"

namespace berth::experiments {
namespace {

namespace kube = core::kube;

constexpr std::string_view driver = "gpu.example.com";

/// The eight GPUs of a node, with what drivers publish of a GPU.
kube::ResourceSlice slice_of(std::size_t node) {
    kube::ResourceSlice slice;
    slice.name = fmt::format("node-{}-{}", node, driver);
    slice.driver = driver;
    slice.pool = fmt::format("node-{}", node);
    slice.slices_in_pool = 1;
    slice.nodes.node_name = slice.pool;
    for (int gpu = 0; gpu < 8; ++gpu) {
        kube::Device device;
        device.name = fmt::format("gpu-{}", gpu);
        device.attributes = {{"type", "gpu"},
                             {"uuid", fmt::format("GPU-{}-{}", node, gpu)},
                             {"productName", "NVIDIA H100 80GB HBM3"},
                             {"index", std::int64_t{gpu}},
                             {"resource.kubernetes.io/pcieRoot", fmt::format("pci{}", gpu / 4)},
                             {"nvlinkDomain", slice.pool}};
        device.capacity["memory"].value = core::Quantity{80} << 30;
        slice.devices.push_back(std::move(device));
    }
    return slice;
}

/// A claim for some GPUs of a node, in a cluster of which nothing is in use.
class Decision {
public:
    Decision(std::size_t nodes, std::int64_t gpus, const std::string& attribute, bool from_slices) {
        kube::DeviceClass gpu{"gpu", {}, 0};
        gpu.selectors.emplace_back(fmt::format(
            "device.driver == '{0}' && device.attributes['{0}'].type == 'gpu'", driver));
        catalog_.classes.emplace(gpu.name, gpu);
        for (std::size_t node = 0; node < nodes; ++node) {
            catalog_.slices.push_back(slice_of(node));
        }
        catalog_.step_limit = 200'000;
        of_pools_ = kube::slices_of_pools(catalog_);
        kube::DeviceRequest request;
        request.name = "gpus";
        request.class_name = gpu.name;
        request.count = gpus;
        kube::ResourceClaim claim;
        claim.name = "training";
        claim.requests.push_back({request.name, false, {request}});
        claim.constraints.push_back({kube::DeviceConstraint::Kind::match, attribute, {}});
        question_.node_name = catalog_.slices.back().pool;
        question_.claims.push_back(std::move(claim));
        question_.catalog = &catalog_;
        question_.allocated = &allocated_;
        question_.memory = from_slices ? nullptr : &memory_;
        pools_ = gather();
    }

    [[nodiscard]] std::vector<kube::DevicePool> gather() const {
        return kube::gather_pools(question_.node_name, question_.node_labels, catalog_, of_pools_);
    }
    [[nodiscard]] std::size_t devices() const { return given(pools_); }
    [[nodiscard]] std::size_t devices_from_slices() const { return given(gather()); }

private:
    [[nodiscard]] std::size_t given(const std::vector<kube::DevicePool>& pools) const {
        const kube::DeviceAllocation found = kube::allocate_devices(question_, pools);
        return found.claims ? found.claims->front().devices.size() : 0;
    }

    kube::DeviceCatalog catalog_;
    kube::AllocatedDevices allocated_;
    kube::SlicesOfPools of_pools_;
    kube::SelectorMemory memory_;
    kube::DeviceQuestion question_;
    std::vector<kube::DevicePool> pools_;
};

/// `gpus` of the eight, which have one value of `attribute`.
struct Case {
    std::string name;
    std::string summary;
    std::int64_t gpus;
    std::string attribute;
    bool from_slices;
};

void bench_devices(const Case& asked, const Bench& bench) {
    const std::vector<std::uint32_t> sizes =
        asked.from_slices ? std::vector<std::uint32_t>{1, 1000} : std::vector<std::uint32_t>{1};
    for (const std::uint32_t nodes : bench.sizes(sizes)) {
        const Decision decision(nodes, asked.gpus, asked.attribute, asked.from_slices);
        Measurement out{asked.name, nodes, "the devices of one claim on one node", 0, 0, 0, {}};
        const auto wanted = static_cast<std::size_t>(asked.gpus);
        bench.measure(out, 0.3, [&] {
            const std::size_t given =
                asked.from_slices ? decision.devices_from_slices() : decision.devices();
            BERTH_ASSERT(given == wanted, "an idle node has devices for the claim");
        });
        bench.report(out);
    }
}

std::vector<Benchmark> kube_benchmarks() {
    const std::array cases{
        Case{"kube-devices/all", "eight GPUs of one link domain", 8, "nvlinkDomain", false},
        Case{"kube-devices/half",
             "four GPUs below one PCIe root",
             4,
             "resource.kubernetes.io/pcieRoot",
             false},
        Case{"kube-devices/from-slices",
             "eight GPUs of one link domain, and the node's pools",
             8,
             "nvlinkDomain",
             true},
    };
    std::vector<Benchmark> all;
    for (const Case& one : cases) {
        all.push_back(
            {one.name, one.summary, [one](const Bench& bench) { bench_devices(one, bench); }});
    }
    return all;
}

constexpr std::array sizes{BenchSize{"kube-devices", "nodes"}};

}  // namespace

extern constinit const SchedulerBench kube_bench;
constinit const SchedulerBench kube_bench{
    .benchmarks = &kube_benchmarks, .sizes = sizes, .traces = [] {
        return std::map<std::string, InventedTrace>();
    }};

}  // namespace berth::experiments
