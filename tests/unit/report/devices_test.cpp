#include "experiments/program/results/devices.hpp"

#include <catch2/catch.hpp>

#include "core/support/source.hpp"
#include "experiments/program/report/device_page.hpp"
#include "experiments/program/report/page_data.hpp"
#include "experiments/program/results/device_figures.hpp"
#include "experiments/program/results/run_directory.hpp"
#include "tests/support/folder.hpp"
#include "tests/unit/report/device_run.hpp"

using namespace berth;
using berth::tests::TestFolder;
namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace {

report::Devices small_run() {
    const TestFolder folder;
    test::write_device_run(folder.path(), "greedy");
    return *report::read_devices(folder.path());
}

report::Devices with_pods(const std::string& rows) {
    const TestFolder folder;
    folder.write("devices.csv", test::small_devices);
    folder.write("nodes.csv", test::small_nodes);
    folder.write("pods.csv", test::device_pods_header + rows);
    return *report::read_devices(folder.path());
}

}  // namespace

TEST_CASE("devices: pods, servers and machines come together", "[report][devices]") {
    const report::Devices devices = small_run();
    REQUIRE(devices.machines.size() == 1);
    CHECK(devices.machines[0].count("gpu") == 4);
    CHECK(devices.machines[0].gpus_of_numa_max() == 2);
    CHECK(devices.machines[0].gpu_domains() ==
          std::vector<std::vector<std::uint32_t>>{{0, 1}, {2, 3}});
    REQUIRE(devices.servers.size() == 2);  // the one without devices is not shown
    CHECK(devices.servers[1].place == "r0");
    REQUIRE(devices.pods.size() == 5);
    const report::DevicePod& late = devices.pods[2];
    CHECK(late.gpus == std::vector<std::uint32_t>{1, 2});
    CHECK(late.crosses());
    CHECK(devices.splits(late));
    const report::DevicePod& whole = devices.pods[3];
    CHECK(std::isinf(whole.finish_s));
    CHECK(whole.nics == std::vector<std::uint32_t>{0, 1});
    CHECK(whole.crosses());
    CHECK_FALSE(devices.splits(whole));  // no NUMA node has four
    CHECK_FALSE(devices.evictions);
}

TEST_CASE("devices: a run without them has none", "[report][devices]") {
    const TestFolder folder;
    CHECK_FALSE(report::read_devices(folder.path()));
    test::write_device_run(folder.path(), "greedy");
    fs::remove(folder.path() / "devices.csv");
    CHECK_FALSE(report::read_devices(folder.path()));
    const auto page = report::make_page_data({report::read_run_directory(folder.path())});
    CHECK_FALSE(page["runs"][0].contains("devices"));
}

TEST_CASE("devices: nearness is counted by kind and by size", "[report][devices]") {
    // pair, single (which has a NIC), late and whole are counted; solo, a GPU alone, is not.
    const auto sizes = report::nearness_by_size(small_run());
    REQUIRE(sizes.size() == 4);  // all, 1, 2, 4
    const report::NearnessCounts& all = sizes[0].kinds;
    CHECK(all[report::numa_kind].pods == 4);
    CHECK(all[report::numa_kind].reached == 2);
    CHECK(all[report::numa_kind].attainable == 3);
    CHECK(all[report::pcie_kind].reached == 2);
    CHECK(all[report::nic_kind].pods == 2);
    CHECK(all[report::nic_kind].reached == 2);
    CHECK(sizes[2].gpus == 2);
    CHECK(sizes[2].kinds[report::nvlink_kind].reached == 1);
    CHECK(sizes[2].kinds[report::nvlink_kind].attainable == 2);
}

TEST_CASE("devices: reasons of all sizes share a row", "[report][devices]") {
    const report::ReasonTable table = report::reasons_by_size(
        with_pods(test::device_pod("a",
                                   0,
                                   1,
                                   "n0",
                                   "0-2,finished,,,machine,machine,false,false,,,"
                                   "no NUMA node had 2 GPUs free") +
                  test::device_pod("b",
                                   0,
                                   1,
                                   "n1",
                                   "0-2,finished,,,machine,machine,false,false,,,"
                                   "no NUMA node had 2 GPUs free") +
                  test::device_pod("c",
                                   2,
                                   3,
                                   "n0",
                                   "0-1-2,finished,,,machine,machine,false,false,"
                                   ",,no NUMA node had 3 GPUs free")));
    CHECK(table.sizes == std::vector<std::size_t>{2, 3});
    REQUIRE(table.rows.size() == 2);
    CHECK(table.rows[0].text == "no NUMA node had enough GPUs free");
    CHECK(table.rows[0].by_size == std::vector<std::uint64_t>{2, 0});
    CHECK(table.rows[1].text == "it has more GPUs than one NUMA node of its server");
    CHECK(table.rows[1].pods == 1);
}

TEST_CASE("devices: windows hold the pods that start in them", "[report][devices]") {
    const report::NearnessWindows windows = report::nearness_over_time(small_run(), 16);
    CHECK(windows.from_s == 0);
    CHECK(windows.width_s == 60);  // 960 s / 16
    REQUIRE(windows.windows.size() == 17);
    CHECK(windows.windows[5][report::numa_kind].pods == 1);  // late, at 300 s
    CHECK(windows.windows[5][report::numa_kind].reached == 0);
    CHECK(windows.windows[16][report::numa_kind].pods == 1);
    CHECK(report::nearness_over_time(with_pods(""), 16).windows.empty());
}

TEST_CASE("devices: free GPUs follow from the pods", "[report][devices]") {
    const report::ReplicationSeries free = report::free_gpus(
        with_pods(test::device_pod("a", 10, 30, "n0", "0,finished,,,pcie,pcie,true,true,,,") +
                  test::device_pod("b", 20, 40, "n0", "1,finished,,,pcie,pcie,true,true,,,") +
                  test::device_pod("c", 30, -1, "n1", "0-3,running,,,machine,numa,false,true,,,")));
    CHECK(free.time_s == std::vector<double>{0, 10, 20, 30, 40});
    CHECK(free.values[0] == std::vector<double>{8, 7, 6, 5, 6});
    // Free GPUs beside used ones: GPU 1 after a, and none after b. At 30 a leaves and c comes,
    // which leaves GPU 0 of n0 and GPUs 1 and 2 of n1.
    CHECK(free.values[1] == std::vector<double>{0, 1, 0, 3, 2});
}

TEST_CASE("devices: what is wrong is told with its place", "[report][devices]") {
    const auto pod = [](const std::string& rest) {
        return test::device_pods_header + test::device_pod("p", 0, 1, "n0", rest);
    };
    const auto [file, text, message] = GENERATE_COPY(table<std::string, std::string, std::string>({
        {"devices.csv", "machine_type,kind\n", "devices.csv:1:1: error: no column 'index'"},
        {"devices.csv",
         "machine_type,kind,index,model,numa,pcie,nvlink\nbox,gpu,1,,,,\n",
         "devices.csv:2:9: error: '1': expected 0: devices of a kind are numbered from 0"},
        {"nodes.csv", "node,rack\n", "nodes.csv:1:1: error: no column 'machine_type'"},
        {"pods.csv", "replication,pod\n", "pods.csv:1:1: error: no column 'start_s'"},
        {"pods.csv",
         pod("0-x,finished,,,pcie,pcie,true,true,,,"),
         "pods.csv:2:22: error: '0-x': expected numbers of devices joined by '-'"},
        {"pods.csv", pod("0-,finished,,,pcie,pcie,true,true,,,"), "pods.csv:2:22: error: '0-'"},
        {"pods.csv",
         pod("4,finished,,,pcie,pcie,true,true,,,"),
         "pods.csv:2:22: error: '4': the machine type 'box' has 4 of kind gpu, from 0"},
        {"pods.csv",
         pod("0,finished,,,rack,pcie,true,true,,,"),
         "pods.csv:2:35: error: 'rack': expected pcie, numa or machine"},
        {"pods.csv",
         pod("0,finished,,,pcie,pcie,yes,true,,,"),
         "pods.csv:2:45: error: 'yes': expected true or false"},
        {"pods.csv",
         test::device_pods_header +
             test::device_pod("p", 0, 1, "cpu", "0,finished,,,pcie,pcie,true,true,,,"),
         "pods.csv:2:19: error: 'cpu': expected a node of nodes.csv whose machine type is in"},
    }));
    CAPTURE(file, text);
    const TestFolder folder;
    folder.write("devices.csv", test::small_devices);
    folder.write("nodes.csv", test::small_nodes);
    folder.write("pods.csv", test::device_pods_header);
    folder.write(file, text);
    CHECK_THROWS_WITH(report::read_devices(folder.path()), Catch::Contains(message));
}

TEST_CASE("devices: a run becomes what the page shows", "[report][devices][page]") {
    const TestFolder folder;
    test::write_device_run(folder.path() / "greedy", "greedy");
    test::write_device_run(folder.path() / "exact", "exact");
    const auto page = report::make_page_data({report::read_run_directory(folder.path() / "greedy"),
                                              report::read_run_directory(folder.path() / "exact")});
    const Json& run = page["runs"][0];
    CHECK(run["allocator"] == "group-allocator, greedy");
    CHECK(run["exactRun"] == 1);
    CHECK(page["runs"][1]["exactRun"].is_null());
    const Json& devices = run["devices"];
    CHECK(devices["sizes"][0]["kinds"][report::numa_kind] == Json({4, 2, 3}));
    CHECK(devices["reasons"]["rows"].size() == 2);
    CHECK(devices["free"]["sampled"] == false);
    const Json& servers = devices["servers"];
    CHECK(servers["pods"] == 5);
    CHECK(servers["shown"] == 5);
    CHECK(servers["list"][0]["name"] == "n0");  // the one with the split pod
    CHECK(servers["list"][0]["split"] == 1);
    CHECK(servers["list"][0]["stays"][1] ==
          Json::parse(R"(["late", 300, 900, [1, 2], [], 0, 7, 1])"));
    CHECK(servers["list"][0]["stays"][2][2].is_null());
}

TEST_CASE("devices: the pictures stay bounded", "[report][devices][page]") {
    const TestFolder folder;
    test::write_device_run(folder.path(), "greedy");
    const report::RunDirectory run = report::read_run_directory(folder.path());
    report::PageLimits limits;
    limits.device_pods = 3;
    Json servers = report::make_page_data({run}, limits)["runs"][0]["devices"]["servers"];
    CHECK(servers["list"].size() == 1);  // n0 has three
    CHECK(servers["used"] == 2);
    limits.device_pods = 2;
    servers = report::make_page_data({run}, limits)["runs"][0]["devices"]["servers"];
    CHECK(servers["list"][0]["stays"].size() == 2);
    CHECK(servers["list"][0]["pods"] == 3);
    CHECK(servers["shown"] == 2);
}

TEST_CASE("devices: the exact partner differs in name and solver only", "[report][devices]") {
    const auto setup = [](const std::string& name, const std::string& reserve, int seed) {
        return report::device_setup("metadata:\n  name: " + name +
                                    "\nspec:\n  placementGroup:\n    solver: exact\n  reserve:\n" +
                                    reserve + "  seed: " + std::to_string(seed) + "\n");
    };
    const auto greedy = setup("a", "    - name: group-allocator\n      solver: greedy\n", 1);
    const auto usual = setup("b", "    - name: group-allocator\n", 1);
    const auto exact = setup("c", "    - name: group-allocator\n      solver: exact\n", 1);
    const auto bare = setup("f", "    - group-allocator\n", 1);
    const auto other = setup("d", "  - name: group-allocator\n    solver: exact\n", 2);
    const auto first = setup("e", "    - name: first-fit\n", 1);
    const auto none = report::device_setup("spec:\n  placementGroup:\n    solver: exact\n");
    CHECK(greedy.allocator == "group-allocator, greedy");
    CHECK(exact.allocator == "group-allocator, exact");
    CHECK(bare.allocator == "group-allocator, greedy");
    CHECK(other.exact);
    CHECK(first.allocator == "first-fit");
    CHECK(none.allocator.empty());
    CHECK_FALSE(none.exact);
    CHECK(report::exact_partners({other, greedy, usual, exact, first, none, bare}) ==
          std::vector<std::optional<std::size_t>>{
              std::nullopt, 3, 3, std::nullopt, std::nullopt, std::nullopt, 3});
}
