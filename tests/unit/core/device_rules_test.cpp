// The rules of the allocator of devices: where the program differs, and the solvers, requests and
// selectors.

#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "core/device_allocator/device_allocator.hpp"
#include "core/device_allocator/device_locality.hpp"
#include "tests/support/device_server.hpp"

using namespace berth;
using core::AllocateStrategy;
using core::DeviceSolver;
using core::DeviceType;
using core::ExclusivePolicy;
using core::TopologyScope;
using tests::device;
using tests::gpu;
using tests::jointly;
using tests::machine;
using tests::pairs;
using tests::pod;
using tests::rdma;
using tests::Server;
using tests::violation;

// What a user expects and the program does not do -------------------------------------------------

namespace {

struct Quirk {
    std::string what;
    Server server;
    core::DevicePod pod;
    std::string documented;
    std::string published;
};

core::DevicePod hinted(core::DevicePod out, DeviceType type, core::DeviceHint hint) {
    out.hints[type] = std::move(hint);
    return out;
}

core::DevicePod nics(core::Amount amount, AllocateStrategy strategy) {
    core::DevicePod out;
    out.requests = {{"koordinator.sh/rdma", amount}};
    out.hints[rdma].strategy = strategy;
    return out;
}

core::MachineDevices sick(core::MachineDevices out, std::size_t index) {
    out.devices[index].healthy = false;
    return out;
}

core::MachineDevices many_nics(int count) {
    core::MachineDevices out;
    for (int minor = 0; minor < count; ++minor) {
        out.devices.push_back(device(rdma, minor, 0, std::to_string(minor)));
    }
    return out;
}

core::MachineDevices partitioned(std::vector<core::GpuPartition> of_two) {
    core::MachineDevices out = machine({});
    out.partitions = core::GpuPartitionTable{{2, std::move(of_two)}};
    return out;
}

core::MachineDevices two_numa_nodes_with_a_switch_zero() {
    core::MachineDevices out;
    out.devices = {device(gpu, 0, 1, "0"), device(rdma, 0, 0, "0"), device(rdma, 1, 1, "0")};
    return out;
}

core::MachineDevices without_core(core::MachineDevices out) {
    for (core::DeviceDescription& one : out.devices) {
        one.resources.erase("koordinator.sh/gpu-core");
    }
    return out;
}

core::DevicePod share_of_gpu() {
    core::DevicePod out;
    out.requests = {{"koordinator.sh/gpu", 50}};
    return out;
}

core::DeviceHint scope(TopologyScope required) {
    core::DeviceHint out;
    out.required_scope = required;
    return out;
}

std::vector<Quirk> quirks_of_requests() {
    const auto count = AllocateStrategy::requests_as_count;
    const auto all = AllocateStrategy::apply_for_all;
    core::DevicePod every_gpu = share_of_gpu();
    every_gpu.hints[gpu].strategy = all;
    return {
        {"above 100 is a count under RequestsAsCount",
         Server(many_nics(64)),
         nics(150, count),
         "Insufficient rdma devices",
         "invalid resource unit koordinator.sh/rdma: 150"},
        {"200 is a count under RequestsAsCount",
         Server(many_nics(3)),
         nics(200, count),
         "Insufficient rdma devices",
         "rdma 0 1"},
        {"200 is the amount of each under ApplyForAll",
         Server(many_nics(3)),
         nics(200, all),
         "Insufficient rdma devices",
         "rdma 0 1"},
        {"an unhealthy NIC is not applied for",
         Server(sick(many_nics(3), 1)),
         nics(100, all),
         "rdma 0 2",
         "Insufficient rdma devices"},
        {"ApplyForAll holds for GPUs",
         Server(machine()),
         every_gpu,
         "gpu 0 1 2 3 4 5 6 7",
         "gpu 0"},
        {"a GPU without the requested resource does not fit",
         Server(without_core(machine())),
         pod(1, 0),
         "Insufficient GPU Devices",
         "gpu 0"},
    };
}

std::vector<Quirk> quirks_of_choice() {
    core::DevicePod nic_first = jointly(1, 100);
    nic_first.joint->types = {rdma, gpu};
    return {
        {"no far NIC is added",
         Server(machine({0, 5})),
         jointly(2, 1),
         "gpu 0 1 rdma 0",
         "gpu 0 1 rdma 0 5"},
        {"a NIC of the same NUMA node is preferred",
         Server(machine({0, 5})).use(gpu, 0).use(gpu, 1).use(gpu, 2).use(gpu, 3),
         jointly(1, 100),
         "gpu 4 rdma 5",
         "gpu 4 rdma 0"},
        {"with SamePCIe the GPU goes where a NIC is free",
         Server(machine()).use(rdma, 0),
         jointly(1, 100, true),
         "gpu 1 rdma 1",
         violation},
        {"the GPU follows a NIC that leads",
         Server(machine()).use(rdma, 0),
         nic_first,
         "gpu 1 rdma 1",
         "gpu 0 rdma 1"},
        {"as few switches as possible are used",
         Server(pairs()).use(gpu, 0).use(gpu, 3),
         pod(4, 0),
         "gpu 4 5 6 7",
         "gpu 1 2 4 5"},
        {"scope Device is met by one device",
         Server(machine()),
         hinted(pod(1, 0), gpu, scope(TopologyScope::device)),
         "gpu 0",
         "Insufficient Topology Scoped GPU Devices"},
        {"a switch is told by its NUMA node, too",
         Server(two_numa_nodes_with_a_switch_zero()),
         jointly(1, 1, true),
         "gpu 0 rdma 1",
         "gpu 0 rdma 0"},
        {"the higher allocationScore comes first",
         Server(partitioned({{{0, 1}, 1, {}}, {{2, 3}, 2, {}}})),
         pod(2, 0),
         "gpu 2 3",
         "gpu 0 1"},
        {"a partition obeys the required scope",
         Server(partitioned({{{0, 4}, 2, {}}, {{2, 3}, 1, {}}})),
         hinted(pod(2, 0), gpu, scope(TopologyScope::numa_node)),
         "gpu 2 3",
         "gpu 2 3"},
        {"a partition across NUMA nodes does not",
         Server(partitioned({{{0, 4}, 1, {}}})),
         hinted(pod(2, 0), gpu, scope(TopologyScope::numa_node)),
         "gpu 0 1",
         "gpu 0 4"},
    };
}

}  // namespace

TEST_CASE("devices: where a user expects something else than the program does", "[core][devices]") {
    for (const std::vector<Quirk>& quirks : {quirks_of_requests(), quirks_of_choice()}) {
        for (const Quirk& quirk : quirks) {
            CAPTURE(quirk.what);
            CHECK(quirk.server.told(quirk.pod) == quirk.documented);
            CHECK(quirk.server.told(quirk.pod, DeviceSolver::greedy, core::published_rules()) ==
                  quirk.published);
        }
    }
}

TEST_CASE("devices: DeviceLevel lets nobody in later, and goes only where nobody is",
          "[core][devices]") {
    core::DevicePod alone = nics(1, AllocateStrategy::unset);
    alone.hints[rdma].exclusive = ExclusivePolicy::device_level;
    Server server(many_nics(3));
    server.use(rdma, 0, 1);
    const core::DeviceAllocation taken = server.allocation(alone);
    CHECK(mask_of(taken[rdma]) == 0b010);
    server.state.take(*server.inventory, taken);
    CHECK(server.told(nics(3, AllocateStrategy::requests_as_count)) == "Insufficient rdma devices");
    CHECK(server.told(nics(2, AllocateStrategy::requests_as_count)) == "rdma 0 2");
    CHECK(server.told(alone) == "rdma 2");
    server.state.take(*server.inventory, server.allocation(alone));
    CHECK(server.told(alone) == "Insufficient rdma devices");
}

TEST_CASE("devices: with least allocated a shared GPU goes to the emptier one of a switch",
          "[core][devices]") {
    Server server(pairs());
    server.use(gpu, 0, 40).use(gpu, 1, 20);
    core::DeviceOptions options;
    options.scorer = core::DeviceScorer{core::DeviceScorer::Strategy::least_allocated,
                                        {{"koordinator.sh/gpu-memory-ratio", 1}}};
    const auto pick = [&](const core::DeviceRules& rules) {
        options.rules = rules;
        const auto request = core::translate(share_of_gpu(), rules);
        return server.tell(
            core::DeviceAllocator(server.inventory, std::get<core::DeviceRequest>(request), options)
                .allocate(server.state));
    };
    CHECK(pick(core::documented_rules()) == "gpu 1");
    CHECK(pick(core::published_rules()) == "gpu 0");  // it ranks all partly used ones alike
}

TEST_CASE("devices: what passes the filter can be reserved", "[core][devices]") {
    // The pod asks for two halves of GPUs, chosen by score, and for NICs; only the GPUs with the
    // lowest minors have NICs beside them.
    Server server(machine({0, 1}));
    server.use(gpu, 0, 20).use(gpu, 1, 20);
    core::DevicePod halves = jointly(1, 1, true);
    halves.requests = {{"koordinator.sh/gpu.shared", 2},
                       {"koordinator.sh/gpu-memory-ratio", 100},
                       {"koordinator.sh/rdma", 1}};
    core::DeviceOptions options;
    options.scorer = core::DeviceScorer{core::DeviceScorer::Strategy::least_allocated,
                                        {{"koordinator.sh/gpu-memory-ratio", 1}}};
    const auto outcome = [&](const core::DeviceRules& rules) {
        options.rules = rules;
        const auto request = core::translate(halves, rules);
        return core::DeviceAllocator(
                   server.inventory, std::get<core::DeviceRequest>(request), options)
            .allocate(server.state);
    };
    CHECK(server.tell(outcome(core::documented_rules())) == "gpu 0 1 rdma 0 1");
    const auto published = outcome(core::published_rules());
    REQUIRE(std::holds_alternative<core::DeviceRefusal>(published));
    CHECK(std::get<core::DeviceRefusal>(published).phase == core::DeviceRefusal::Phase::reserve);
}

// The exact solver --------------------------------------------------------------------------------

TEST_CASE("devices: the exact solver finds what the greedy one misses", "[core][devices]") {
    Server busy(pairs());
    busy.use(gpu, 0).use(gpu, 3).use(rdma, 0);
    CHECK(busy.told(jointly(4, 100, true), DeviceSolver::exact) == "gpu 4 5 6 7 rdma 2 3");
    CHECK(busy.told(jointly(4, 100, true), DeviceSolver::exact, core::published_rules()) ==
          "gpu 4 5 6 7 rdma 2 3");
    CHECK(busy.told(jointly(4, 100, true), DeviceSolver::greedy, core::published_rules()) ==
          violation);
    Server first_nic_full(machine());
    first_nic_full.use(rdma, 0);
    CHECK(first_nic_full.told(jointly(1, 100), DeviceSolver::greedy) == "gpu 0 rdma 1");
    CHECK(first_nic_full.told(jointly(1, 100), DeviceSolver::exact) == "gpu 1 rdma 1");
}

TEST_CASE("devices: the exact solver leaves what nobody uses whole", "[core][devices]") {
    Server server(pairs());
    server.use(gpu, 5);
    CHECK(server.told(pod(1, 0), DeviceSolver::exact) == "gpu 4");
    CHECK(server.told(pod(2, 0), DeviceSolver::exact) == "gpu 0 1");
    CHECK(server.told(pod(3, 0), DeviceSolver::exact) == "gpu 0 1 4");
    CHECK(server.told(pod(8, 0), DeviceSolver::exact) == "Insufficient GPU Devices");
}

TEST_CASE("devices: the exact solver honors partitions and required scopes", "[core][devices]") {
    core::MachineDevices hopper = machine();
    hopper.node_labels = {{"node.koordinator.sh/gpu-model", "H100"},
                          {"node.koordinator.sh/gpu-partition-policy", "Honor"}};
    Server server(hopper);
    server.use(gpu, 0).use(gpu, 3);
    CHECK(server.told(jointly(2, 1, true), DeviceSolver::exact) == "gpu 4 5 rdma 4 5");
    CHECK(server.told(jointly(3, 1), DeviceSolver::exact) ==
          "node(s) Unsupported number of GPU requests");
    // The solver takes a partition with a NIC beside each GPU, although other partitions come
    // first.
    core::MachineDevices half = machine({4, 5, 6, 7});
    half.node_labels = hopper.node_labels;
    CHECK(Server(half).told(jointly(2, 1), DeviceSolver::exact) == "gpu 4 5 rdma 4 5");
    CHECK(Server(machine()).told(hinted(pod(5, 0), gpu, scope(TopologyScope::numa_node)),
                                 DeviceSolver::exact) ==
          "Insufficient Topology Scoped GPU Devices");
}

// Requests ----------------------------------------------------------------------------------------

TEST_CASE("devices: requests are translated, or refused by name", "[core][devices]") {
    struct Row {
        std::map<std::string, core::Amount, std::less<>> requests;
        std::string expected;  ///< The number of devices and the amounts of each, or the message.
    };
    const auto row = GENERATE(values<Row>({
        {{{"nvidia.com/gpu", 2}}, "2 gpu-core 100 gpu-memory-ratio 100"},
        {{{"koordinator.sh/gpu", 50}}, "1 gpu-core 50 gpu-memory-ratio 50 shared"},
        {{{"koordinator.sh/gpu", 150}}, "invalid resource unit koordinator.sh/gpu: 150"},
        {{{"koordinator.sh/gpu-core", 30}, {"koordinator.sh/gpu-memory-ratio", 200}},
         "2 gpu-core 15 gpu-memory-ratio 100"},
        {{{"koordinator.sh/gpu-memory", 8}}, "1 gpu-memory 8 shared"},
        {{{"koordinator.sh/gpu.shared", 2}, {"koordinator.sh/gpu-memory-ratio", 100}},
         "2 gpu-memory-ratio 50 shared"},
        {{{"koordinator.sh/gpu.shared", 2}, {"koordinator.sh/gpu-memory-ratio", 99}},
         "invalid resource device requests: [koordinator.sh/gpu-memory-ratio "
         "koordinator.sh/gpu.shared]"},
        {{{"koordinator.sh/gpu-core", 100}},
         "invalid resource device requests: [koordinator.sh/gpu-core]"},
        {{{"nvidia.com/gpu", INT64_MAX}}, "Insufficient gpu devices"},
        {{{"koordinator.sh/rdma", 1001}, {"koordinator.sh/fpga", 201}},
         "invalid resource unit koordinator.sh/rdma: 1001, "
         "invalid resource unit koordinator.sh/fpga: 201"},
    }));
    core::DevicePod asked;
    asked.requests = row.requests;
    const auto translated = core::translate(asked, core::documented_rules());
    if (const auto* refusal = std::get_if<core::DeviceRefusal>(&translated)) {
        CHECK(refusal->text() == row.expected);
        CHECK_FALSE(refusal->resolvable);
        return;
    }
    const auto& type = std::get<core::DeviceRequest>(translated).types[gpu];
    REQUIRE(type);
    std::string text = std::to_string(type->count);
    for (const auto& [name, amount] : type->each) {
        text += " " + name.substr(name.find('/') + 1) + " " + std::to_string(amount);
    }
    CHECK(text + (type->is_shared ? " shared" : "") == row.expected);
}

TEST_CASE("devices: selectors match as Kubernetes does", "[core][devices]") {
    using Op = core::LabelSelector::Operator;
    using Row = std::tuple<std::string, core::LabelSelector, bool, bool>;
    const auto [what, selector, of_a, of_none] =
        GENERATE(table<std::string, core::LabelSelector, bool, bool>({
            Row{"no terms", {}, true, true},
            Row{"labels", {{{"type", "a"}}, {}}, true, false},
            Row{"another label", {{{"type", "b"}}, {}}, false, false},
            Row{"in", {{}, {{"type", Op::in, {"b", "a"}}}}, true, false},
            Row{"not in", {{}, {{"type", Op::not_in, {"a"}}}}, false, true},
            Row{"exists", {{}, {{"type", Op::exists, {}}}}, true, false},
            Row{"does not exist", {{}, {{"type", Op::does_not_exist, {}}}}, false, true},
        }));
    CAPTURE(what);
    CHECK(core::matches(selector, {{"type", "a"}}) == of_a);
    CHECK(core::matches(selector, {}) == of_none);
}
