
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "topologies/alibaba_nodes_reader.hpp"

namespace core = berth::core;
using berth::topologies::InventedLevel;
using berth::topologies::read_openb_nodes;
using berth::topologies::read_spot_nodes;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

const std::string openb_nodes =
    "sn,cpu_milli,memory_mib,gpu,model\n"
    "n-0,96000,393216,8,M2\n"
    "n-1,32000,262144,0,\n"
    "n-2,96000,393216,8,M2\n"
    "n-3,96500,393216,2,M1\n"
    "n-4,32000,262144,0,unused\n";

std::shared_ptr<const core::SourceText> source(const std::string& text) {
    return std::make_shared<core::SourceText>(core::SourceText{"n.csv", text});
}

core::Topology openb(const std::string& text, const std::vector<InventedLevel>& levels = {}) {
    core::Diagnostics diagnostics;
    core::ResourceSchema also;
    also.add("memory");
    also.add("example.com/nic");
    auto topology = read_openb_nodes(source(text), levels, also, diagnostics);
    diagnostics.throw_if_failed();
    REQUIRE(topology);
    return *topology;
}

std::string openb_error(const std::string& text, const std::vector<InventedLevel>& levels = {}) {
    core::Diagnostics diagnostics;
    const auto topology = read_openb_nodes(source(text), levels, {}, diagnostics);
    CHECK_FALSE(topology);
    try {
        diagnostics.throw_if_failed();
    } catch (const core::InputError& error) {
        return error.what();
    }
    return "";
}

std::string whole_file(const std::filesystem::path& file) {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::string> paths(const core::Topology& topology) {
    std::vector<std::string> out;
    for (const core::NodeId node : topology.level_nodes(topology.server_level())) {
        out.push_back(topology.path(node));
    }
    return out;
}

std::int64_t gpus_of(const core::Topology& topology) {
    std::int64_t gpus = 0;
    for (std::uint32_t server = 0; server < topology.server_count(); ++server) {
        for (const core::DeviceGroup& group :
             topology.machine_type(core::ServerId{server}).devices) {
            gpus += group.count;
        }
    }
    return gpus;
}

}  // namespace

TEST_CASE("node lists: each row is a server of a type named by what it is", "[topologies][openb]") {
    const core::Topology topology = openb(openb_nodes);
    CHECK(topology.level_names() == std::vector<std::string>{"cluster", "server"});
    CHECK(paths(topology) ==
          std::vector<std::string>{
              "cluster/n-0", "cluster/n-1", "cluster/n-2", "cluster/n-3", "cluster/n-4"});
    CHECK(topology.resources().names() ==
          std::vector<std::string>{"cpu", "memory", "nvidia.com/gpu", "example.com/nic"});
    REQUIRE(topology.machine_types().size() == 3);
    const core::MachineType& large = topology.machine_type(core::ServerId{2});
    CHECK(large.name == "96c-384Gi-8xM2");
    CHECK(topology.machine_type_index(core::ServerId{0}) ==
          topology.machine_type_index(core::ServerId{2}));
    CHECK(large.capacity[0] == 96'000);
    CHECK(large.capacity[1] == 393'216LL << 20);
    CHECK(large.capacity[2] == 8000);
    CHECK(large.capacity[3] == 0);
    REQUIRE(large.devices.size() == 1);
    CHECK(large.devices[0].kind == "gpu");
    CHECK(large.devices[0].count == 8);
    CHECK(large.devices[0].model == "M2");
    CHECK(topology.machine_type(core::ServerId{1}).name == "32c-256Gi");
    CHECK(topology.machine_type(core::ServerId{1}).devices.empty());
    CHECK(topology.machine_type_index(core::ServerId{1}) ==
          topology.machine_type_index(core::ServerId{4}));
    CHECK(topology.machine_type(core::ServerId{3}).name == "96500mc-384Gi-2xM1");
}

TEST_CASE("node lists: invented levels are filled in the order of the file",
          "[topologies][openb]") {
    const core::Topology topology = openb(openb_nodes, {{"room", 2}, {"rack", 2}});
    CHECK(topology.level_names() == std::vector<std::string>{"cluster", "room", "rack", "server"});
    CHECK(paths(topology) == std::vector<std::string>{"cluster/room-0/rack-0/n-0",
                                                      "cluster/room-0/rack-0/n-1",
                                                      "cluster/room-0/rack-1/n-2",
                                                      "cluster/room-0/rack-1/n-3",
                                                      "cluster/room-1/rack-2/n-4"});
}

TEST_CASE("node lists: all that is wrong is said, each where it stands", "[topologies][openb]") {
    const std::string errors = openb_error(
        "sn,cpu_milli,memory_mib,gpu,model\r\n"
        "n-0,96000,393216,8,M2\r\n"
        "n-1,x,1,0,\r\n"
        "n-2,1,1\r\n"
        "\r\n"
        "n-0,1,1,0,\r\n"
        ",1,1,0,\r\n"
        "n-3,1,-1,0,\r\n"
        "n-4,1,1,99999,M\r\n"
        "\"n-5,1,1,9,M\r\n");
    CHECK_THAT(errors,
               StartsWith("n.csv:3:5: error: cpu_milli 'x': expected a whole number from 0 to "));
    CHECK_THAT(errors, Contains("n.csv:4:1: error: 3 fields: expected 5, as in the header"));
    CHECK_THAT(errors, Contains("n.csv:6:1: error: two nodes are named 'n-0'"));
    CHECK_THAT(errors, Contains("n.csv:7:1: error: a node without a name"));
    CHECK_THAT(errors, Contains("n.csv:8:7: error: memory_mib '-1'"));
    CHECK_THAT(errors, Contains("n.csv:9:9: error: gpu '99999'"));
    CHECK_THAT(errors, Contains("n.csv:10:1: error: a quoted field does not end"));
}

TEST_CASE("node lists: a list without nodes or with another header is refused",
          "[topologies][openb]") {
    CHECK_THAT(openb_error(""),
               StartsWith("n.csv:1:1: error: empty: expected a header with sn, cpu_milli"));
    CHECK_THAT(openb_error("sn,cpu_milli,memory_mib,gpu,model\n"), Contains("no nodes"));
    CHECK_THAT(openb_error("sn,cpu_milli,memory_mb,gpu,model\nn,1,1,0,\n"),
               Contains("1:1: error: no column 'memory_mib': expected one of this name (did you "
                        "mean 'memory_mb'?)"));
    CHECK_THAT(openb_error(openb_nodes, {{"server", 2}}), Contains("expected distinct names"));
}

TEST_CASE("node lists: the spot trace's list has no memory", "[topologies][spot]") {
    core::Diagnostics diagnostics;
    const auto topology = read_spot_nodes(source("gpu_model,gpu_capacity_num,cpu_num,node_name\n"
                                                 "M7,4,192,0\n"
                                                 "M3,1,128,1\n"),
                                          {{"rack", 1}},
                                          {},
                                          diagnostics);
    diagnostics.throw_if_failed();
    REQUIRE(topology);
    CHECK(topology->resources().names() == std::vector<std::string>{"cpu", "nvidia.com/gpu"});
    CHECK(topology->machine_type(core::ServerId{0}).name == "192c-4xM7");
    CHECK(topology->machine_type(core::ServerId{0}).capacity[0] == 192'000);
    CHECK(topology->machine_type(core::ServerId{1}).capacity[1] == 1000);
    CHECK(paths(*topology) == std::vector<std::string>{"cluster/rack-0/0", "cluster/rack-1/1"});
}

TEST_CASE("node lists: the published lists are read whole, where they are",
          "[topologies][openb][spot]") {
    const std::filesystem::path folder(BERTH_SOURCE_DIR "/../shared/data");
    if (!std::filesystem::exists(folder)) {
        return;
    }
    const core::Topology all = openb(whole_file(folder / "openb/openb_node_list_all_node.csv"));
    CHECK(all.server_count() == 1523);
    CHECK(gpus_of(all) == 6212);
    const core::Topology gpu = openb(whole_file(folder / "openb/openb_node_list_gpu_node.csv"),
                                     {{"room", 8}, {"rack", 16}});
    CHECK(gpu.server_count() == 1213);
    CHECK(gpu.level_size(core::Level{2}) == 76);
    CHECK(gpus_of(gpu) == 6212);
    core::Diagnostics diagnostics;
    const auto spot =
        read_spot_nodes(source(whole_file(folder / "spot/node_info_df.csv")), {}, {}, diagnostics);
    diagnostics.throw_if_failed();
    REQUIRE(spot);
    CHECK(spot->server_count() == 4278);
}
