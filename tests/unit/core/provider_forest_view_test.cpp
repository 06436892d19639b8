#include "core/machine_views/provider_forest_view.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "core/allocation_candidates/candidate_search.hpp"
#include "core/machine_views/provider_terms.hpp"
#include "core/machine_views/provider_view.hpp"
#include "tests/support/machine_view_readers.hpp"

using namespace berth;
using core::Amount;
using core::Level;
using core::ProviderTerms;
using core::ServerId;

namespace {

constexpr Amount mebi = 1 << 20;
constexpr Amount gibi = 1 << 30;

core::ResourceSchema schema() {
    core::ResourceSchema out;
    for (const char* name :
         {"cpu", "memory", "ephemeral-storage", "nvidia.com/gpu", "nic", "seat"}) {
        out.add(name);
    }
    return out;
}

/// A host with two NUMA nodes, a GPU on the second, and two NICs of eight functions.
core::MachineType host() {
    core::MachineType type{"host", core::Amounts::Zero(6), {}};
    type.capacity << 7'500, 5 * mebi, 100 * gibi, 1'000, 2, 3;
    type.numa_nodes = 2;
    type.traits = {"COMPUTE_VOLUME_MULTI_ATTACH"};
    core::DeviceGroup gpu;
    gpu.kind = "gpu";
    gpu.count = 1;
    gpu.numa = {1};
    core::DeviceGroup nic;
    nic.kind = "nic";
    nic.count = 2;
    nic.numa = {0, 1};
    nic.virtual_functions = 8;
    nic.traits = {{"CUSTOM_PHYSNET1"}, {"CUSTOM_PHYSNET2", "CUSTOM_FAST"}};
    type.devices = {gpu, nic};
    return type;
}

/// Two racks of two hosts; a pool of disks in each rack, and licenses for all, if wanted.
core::Topology racks(bool shared) {
    core::TopologyBuilder builder(schema());
    builder.add_machine_type(host());
    builder.begin_level("cluster");
    builder.add_node(0, "cluster");
    builder.begin_level("rack");
    builder.add_node(0, "r0");
    builder.add_node(0, "r1");
    builder.begin_level("host");
    for (const char* name : {"a", "b"}) {
        builder.add_server(0, name, 0);
    }
    for (const char* name : {"c", "d"}) {
        builder.add_server(1, name, 0);
    }
    std::vector<core::SharedProvider> providers;
    if (shared) {
        providers = {{"pool", Level{1}, {{"DISK_GB", {.total = 500, .step_size = 10}}}, {}},
                     {"tool", Level{0}, {{"CUSTOM_LICENSE", {.total = 3}}}, {"CUSTOM_SITE"}}};
    }
    return core::TopologyBuilder::with_shared_providers(builder.build(), std::move(providers));
}

std::optional<core::ProviderIndex> named(const core::ProviderForest& forest,
                                         std::string_view name) {
    for (core::ProviderIndex p = 0; p < forest.provider_count(); ++p) {
        if (forest.name(p) == name) {
            return p;
        }
    }
    return std::nullopt;
}

Amount capacity(const core::ProviderForest& forest, std::string_view name, std::string_view type) {
    const auto* row = forest.inventory(*named(forest, name), *forest.classes().find(type));
    return row != nullptr ? row->capacity : -1;
}

core::CandidateQuery parsed(std::string_view text) {
    return std::get<core::CandidateQuery>(core::parse_candidate_query(text));
}

}  // namespace

TEST_CASE("provider view: NUMA nodes share CPUs and memory, the first has what is left over",
          "[core][machine_views]") {
    const auto tree = core::provider_view(host(), schema(), "s");
    REQUIRE(tree.size() == 6);
    CHECK(tree[0] == core::ProviderNode{
                         "s", std::nullopt, {{"DISK_GB", 100}}, {"COMPUTE_VOLUME_MULTI_ATTACH"}});
    CHECK(tree[1] ==
          core::ProviderNode{"s_numa0", 0, {{"MEMORY_MB", 3}, {"VCPU", 4}}, {"HW_NUMA_ROOT"}});
    CHECK(tree[2] ==
          core::ProviderNode{"s_numa1", 0, {{"MEMORY_MB", 2}, {"VCPU", 3}}, {"HW_NUMA_ROOT"}});
    CHECK(tree[3] == core::ProviderNode{"s_numa1_gpu_0", 2, {{"PGPU", 1}}, {}});
    CHECK(tree[5] ==
          core::ProviderNode{
              "s_numa1_nic_1", 2, {{"SRIOV_NET_VF", 8}}, {"CUSTOM_FAST", "CUSTOM_PHYSNET2"}});
    // The devices can be read back, each with its traits.
    auto devices = tests::devices_of_providers(tree);
    REQUIRE(devices.size() == 2);
    CHECK(devices[1].traits == std::vector<std::vector<std::string>>{
                                   {"CUSTOM_PHYSNET1"}, {"CUSTOM_FAST", "CUSTOM_PHYSNET2"}});
    CHECK(devices[1].numa == std::vector<std::int64_t>{0, 1});
}

TEST_CASE("provider view: fewer CPUs than NUMA nodes", "[core][machine_views]") {
    core::MachineType type = host();
    type.capacity[0] = 2'000;
    type.numa_nodes = 3;
    const auto tree = core::provider_view(type, schema(), "s");
    CHECK(tree[1].inventory.at("VCPU") == 2);  // 2 / 3 rounds to 0 for the others
    CHECK_FALSE(tree[2].inventory.contains("VCPU"));
    CHECK_FALSE(tree[3].inventory.contains("VCPU"));
}

TEST_CASE("provider forest: the tree of a server has its number", "[core][machine_views]") {
    const core::Topology tree = racks(true);
    const core::ProviderForest forest = core::provider_forest(tree);
    CHECK(forest.provider_count() == 4 * 6 + 2 + 1);
    CHECK(forest.tree_count() == 4 + 2 + 1);
    for (std::uint32_t server = 0; server < 4; ++server) {
        const core::TreeIndex number = core::provider_tree_of(ServerId{server});
        CHECK(forest.name(forest.root(number)) == tree.name(tree.node_of(ServerId{server})));
        CHECK(forest.tree_end(number) - forest.root(number) == 6);
        CHECK(core::server_of_providers(number, tree) == ServerId{server});
    }
    CHECK_FALSE(core::server_of_providers(4, tree));
    // The names are in the order of uuids, a NUMA node before its devices.
    CHECK(forest.name(6) == "b");
    CHECK(forest.name(7) == "b_numa0");
    CHECK(forest.name(8) == "b_numa0_nic_0");
    CHECK(forest.name(9) == "b_numa1");
    CHECK(forest.uuid(9) == "00000001-0000-4000-8000-000000000003");
    CHECK(forest.parent(9) == core::ProviderIndex{6});
    CHECK(capacity(forest, "c_numa1", "VCPU") == 3);
    CHECK(capacity(forest, "c", "DISK_GB") == 100);
}

TEST_CASE("provider forest: what is shared serves the servers of its domain",
          "[core][machine_views]") {
    const core::Topology tree = racks(true);
    const core::ProviderForest forest = core::provider_forest(tree);
    REQUIRE(forest.sharing().size() == 3);
    CHECK(forest.name(forest.sharing()[0]) == "pool_r0");
    CHECK(forest.served(0) == std::vector<core::TreeIndex>{0, 1, 4});
    CHECK(forest.name(forest.sharing()[1]) == "pool_r1");
    CHECK(forest.served(1) == std::vector<core::TreeIndex>{2, 3, 5});
    CHECK(forest.name(forest.sharing()[2]) == "tool_cluster");
    CHECK(forest.served(2) == std::vector<core::TreeIndex>{0, 1, 2, 3, 6});
    // More disk than a host has comes from the pool of its rack.
    const core::CandidateQuery query = parsed("resources=DISK_GB:200,CUSTOM_LICENSE:1,VCPU:1");
    const core::CandidateSearch search(forest, query);
    CHECK(search.find_in(2, 9).size() == 2);  // one for each NUMA node
    CHECK(search.anchors() == std::vector<core::TreeIndex>{0, 1, 2, 3});
}

TEST_CASE("provider forest: the same providers every time", "[core][machine_views]") {
    const core::Topology tree = racks(true);
    std::vector<core::ResourceProvider> once;
    std::vector<core::ResourceProvider> again;
    core::for_each_provider(tree, [&](const auto& provider) { once.push_back(provider); });
    core::for_each_provider(tree, [&](const auto& provider) { again.push_back(provider); });
    CHECK(once == again);
    CHECK(std::ranges::is_sorted(once, {}, &core::ResourceProvider::uuid));
    CHECK(once[0].aggregates.size() == 2);
    CHECK(once[0].aggregates != once[12].aggregates);        // in another rack
    CHECK(once[0].aggregates[1] == once[12].aggregates[1]);  // in one cluster
    CHECK(once[1].aggregates.empty());
}

TEST_CASE("provider forest: names of machine types without servers are known",
          "[core][machine_views]") {
    core::TopologyBuilder builder(schema());
    core::MachineType plain{"plain", core::Amounts::Zero(6), {}};
    builder.add_machine_type(plain);
    builder.add_machine_type(host());
    builder.begin_level("cluster");
    builder.add_node(0, "cluster");
    builder.begin_level("host");
    builder.add_server(0, "a", 0);
    const core::Topology tree = builder.build();
    const core::CandidateQuery query = parsed("resources1=VCPU:1&required1=CUSTOM_PHYSNET1");
    CHECK_FALSE(ProviderTerms(tree).unknown(query));
    CHECK_FALSE(core::CandidateSearch(core::provider_forest(tree), query).fault());
}

TEST_CASE("provider terms: what the ledger counts of a query", "[core][machine_views]") {
    const core::Topology alone = racks(false);
    const core::Topology sharing = racks(true);
    const core::CandidateQuery query = parsed(
        "resources=VCPU:2,MEMORY_MB:3,DISK_GB:20&resources1=VCPU:1,PGPU:1"
        "&resources2=SRIOV_NET_VF:4&group_policy=none");
    // Disk may come from a pool where there is one, and a virtual function does not count as a NIC.
    CHECK(ProviderTerms(alone).demand(query) ==
          std::vector<Amount>{3'000, 3 * mebi, 20 * gibi, 1'000, 0, 0});
    CHECK(ProviderTerms(sharing).demand(query) ==
          std::vector<Amount>{3'000, 3 * mebi, 0, 1'000, 0, 0});
    CHECK_FALSE(ProviderTerms(alone).demand(parsed("resources=VCPU:99999999999999999999")));
    CHECK_FALSE(ProviderTerms(alone).demand(
        parsed("resources=VCPU:9000000000000000&resources1=VCPU:9000000000000000")));
    CHECK(ProviderTerms(sharing).counted("DISK_GB")->shared);
    CHECK(ProviderTerms(alone).counted("SRIOV_NET_VF") == nullptr);
}

TEST_CASE("provider terms: a query for amounts alone", "[core][machine_views]") {
    const core::Topology alone = racks(false);
    const core::Topology sharing = racks(true);
    const auto asked = [](const core::Topology& tree, std::vector<Amount> amounts) {
        return std::get<ProviderTerms::Asked>(ProviderTerms(tree).query_for(amounts));
    };
    const auto all = asked(alone, {2'000, 4 * mebi, 5 * gibi, 2'000, 0, 7});
    CHECK(all.query ==
          "resources=DISK_GB:5,MEMORY_MB:4,VCPU:2&resources_0=PGPU:1&resources_1=PGPU:1"
          "&group_policy=isolate");
    CHECK(all.demand == std::vector<Amount>{2'000, 4 * mebi, 5 * gibi, 2'000, 0, 7});
    CHECK(asked(sharing, {0, 0, 5 * gibi, 0, 0, 0}).demand == std::vector<Amount>(6, 0));
    CHECK(asked(alone, {0, 0, 0, 0, 0, 7}).query.empty());
    // An amount above what any machine has is not listed one by one.
    CHECK(parsed(asked(alone, {0, 0, 0, 9'000'000, 0, 0}).query).groups.size() == 3);

    const auto refused = [&](std::vector<Amount> amounts) {
        return std::get<ProviderTerms::NoQuery>(ProviderTerms(alone).query_for(amounts)).resource;
    };
    CHECK(refused({500, 0, 0, 0, 0, 0}) == 0);
    CHECK(refused({0, 5, 0, 0, 0, 0}) == 1);
    CHECK(refused({0, 0, 0, 1'500, 0, 0}) == 3);
    CHECK(refused({0, 0, 0, 0, 1, 0}) == 4);  // NICs are asked for by their functions
}

TEST_CASE("provider terms: names that nobody knows", "[core][machine_views]") {
    const core::Topology tree = racks(true);
    const ProviderTerms terms(tree);
    const auto unknown = [&](std::string_view query) {
        const auto found = terms.unknown(parsed(query));
        return found ? found->name : "";
    };
    CHECK(unknown("resources=VCPU:1,CUSTOM_LICENSE:1&required=CUSTOM_SITE") == "");
    CHECK(unknown("resources=VGPU:1") == "");  // a standard name, though no host has any
    CHECK(unknown("resources=CUSTOM_SEAT:1&required=CUSTOM_X") == "CUSTOM_SEAT");
    CHECK(unknown("resources=VCPU:1&required=in:CUSTOM_SITE,CUSTOM_X") == "CUSTOM_X");
    CHECK(unknown("resources=VCPU:1&required=!CUSTOM_Y") == "CUSTOM_Y");
    CHECK(unknown("resources=VCPU:1&root_required=!CUSTOM_Z") == "CUSTOM_Z");
}

TEST_CASE("provider terms: a device of one virtual function is counted, of unlike ones it is not",
          "[core][machine_views]") {
    const auto counted = [](std::vector<std::int64_t> functions) {
        core::TopologyBuilder builder(schema());
        for (const std::int64_t vfs : functions) {
            core::MachineType type = host();
            type.devices[1].virtual_functions = vfs;
            builder.add_machine_type(type);
        }
        builder.begin_level("cluster");
        builder.add_node(0, "cluster");
        builder.begin_level("host");
        builder.add_server(0, "a", 0);
        return ProviderTerms(builder.build()).counted("SRIOV_NET_VF") != nullptr;
    };
    CHECK(counted({1}));
    CHECK_FALSE(counted({1, 2}));
    CHECK_FALSE(counted({2, 1}));
}
