#include "tests/unit/report/device_run.hpp"

#include <fstream>
#include <sstream>

namespace berth::test {
namespace {

std::string summary(bool exact) {
    const auto metric = [](const char* name, double mean) {
        std::ostringstream out;
        out << "    \"" << name << "\": {\"mean\": " << mean
            << ", \"sd\": 0, \"ci95\": 0, \"min\": " << mean << ", \"max\": " << mean
            << ", \"n\": 1}";
        return out.str();
    };
    return std::string(R"({"schema": "berth.summary/v1", "experiment": "small", )") +
           "\"replications\": 1, \"metrics\": {\n" + metric("pods_submitted", 6) + ",\n" +
           metric("pods_finished", 5) + ",\n" + metric("pods_running", 0) + ",\n" +
           metric("wait_s_mean", exact ? 12 : 30) + ",\n" + metric("wait_s_p95", 60) + ",\n" +
           metric("pods_with_devices_together", 4) + ",\n" + metric("same_pcie", 0.25) + ",\n" +
           metric("same_pcie_attainable", 0.5) + ",\n" + metric("same_nvlink", exact ? 0.75 : 0.5) +
           ",\n" + metric("same_nvlink_attainable", 0.75) + ",\n" +
           metric("same_numa", exact ? 0.75 : 0.5) + ",\n" + metric("same_numa_attainable", 0.75) +
           ",\n" + metric("nic_beside", 1) + ",\n" + metric("nic_beside_attainable", 1) + ",\n" +
           metric("free_gpus_broken", exact ? 0.2 : 0.35) + "}}\n";
}

}  // namespace

std::string device_pod(const std::string& pod,
                       double start_s,
                       double finish_s,
                       const std::string& node,
                       const std::string& rest,
                       int replication) {
    std::ostringstream out;
    out << replication << ',' << pod << ",,,0,0," << start_s << ',';
    if (finish_s >= 0) {
        out << finish_s;
    }
    out << ",0,,," << node << ',' << rest << '\n';
    return out.str();
}

void write_device_run(const std::filesystem::path& directory, const std::string& solver) {
    std::filesystem::create_directories(directory);
    const auto write = [&](const char* name, const std::string& text) {
        std::ofstream(directory / name, std::ios::binary) << text;
    };
    const bool exact = solver == "exact";
    write("devices.csv", small_devices);
    write("nodes.csv", small_nodes);
    const std::string split =
        exact ? device_pod("late", 300, 900, "n0", "0-1,finished,,,numa,pcie,true,true,,,")
              : device_pod("late",
                           300,
                           900,
                           "n0",
                           "1-2,finished,,,machine,pcie,false,true,,,"
                           "a NUMA node had 2 GPUs free and was not chosen");
    write("pods.csv",
          device_pods_header +
              device_pod("pair", 0, 600, "n1", "2-3,finished,,,pcie,pcie,true,true,,,") +
              device_pod("single", 60, 240, "n0", "0,finished,,0,pcie,pcie,true,true,true,true,") +
              split +
              device_pod("whole",
                         960,
                         -1,
                         "n0",
                         "0-1-2-3,running,,0-1,machine,machine,false,false,true,true,"
                         "no NUMA node had 4 GPUs free") +
              device_pod("plain", 100, 200, "cpu", ",finished,,,,,,,,,") +
              device_pod("solo", 700, 800, "n1", "1,finished,,,pcie,pcie,true,true,,,"));
    write("summary.json", summary(exact));
    write("experiment.yaml",
          "metadata:\n  name: small-" + solver +
              "\nspec:\n  scheduler:\n    profile:\n      placementGroup:\n        solver: exact\n"
              "      reserve:\n        - name: group-allocator\n" +
              (exact ? "          solver: exact\n" : "") + "  seed: 1\n");
}

}  // namespace berth::test
