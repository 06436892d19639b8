/// documents/KIND: reads an invented cluster from a file: nodes as kubectl prints them, a list of
/// nodes as berth writes it, GraphML, and resource providers.

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "core/support/assert.hpp"
#include "experiments/program/bench/benchmark.hpp"
#include "experiments/program/config/cluster/provider_fields.hpp"
#include "experiments/program/config/experiment/read_topology_file.hpp"
#include "experiments/program/support/temporary.hpp"
#include "topologies/writers.hpp"

namespace berth::experiments {
namespace {

constexpr std::uint32_t few_servers = 1'024;
constexpr std::uint32_t many_servers = 131'072;
constexpr std::uint32_t servers_a_rack = 16;

void write_kubernetes_nodes(std::ostream& out, std::uint32_t servers) {
    out << "{\n    \"apiVersion\": \"v1\",\n    \"items\": [\n";
    for (std::uint32_t i = 0; i < servers; ++i) {
        out << fmt::format(
            R"(        {{
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {{
                "annotations": {{
                    "csi.volume.kubernetes.io/nodeid": "{{\"csi.example.com\":\"node-{0}\"}}"
                }},
                "labels": {{
                    "kubernetes.io/hostname": "node-{0}",
                    "node.kubernetes.io/instance-type": "hgx",
                    "nvidia.com/gpu.memory": "81559",
                    "nvidia.com/gpu.product": "H100",
                    "topology.kubernetes.io/zone": "zone-{1}"
                }},
                "name": "node-{0}"
            }},
            "status": {{
                "allocatable": {{
                    "cpu": "191800m",
                    "memory": "2100000000Ki",
                    "nvidia.com/gpu": "8"
                }},
                "conditions": [
                    {{
                        "message": "kubelet is posting ready status",
                        "status": "True",
                        "type": "Ready"
                    }}
                ]
            }}
        }})",
            i,
            i / 1024);
        out << (i + 1 < servers ? ",\n" : "\n");
    }
    out << "    ],\n    \"kind\": \"List\"\n}\n";
}

void write_tree(std::ostream& out,
                std::uint32_t servers,
                void (*write)(std::ostream& out, const core::Topology& topology)) {
    const auto tree = uniform_tree({{"rack", servers / servers_a_rack}, {"server", servers_a_rack}},
                                   {{"cpu", 16'000}, {"memory", core::Amount{256} << 30}});
    write(out, *tree);
}

/// Writes a host with a NUMA node below it for every two servers.
void write_providers(std::ostream& out, std::uint32_t servers) {
    out << "{\"providers\": [\n";
    for (std::uint32_t i = 0; i < servers / 2; ++i) {
        const std::string host = fmt::format("{:08x}-0000-4000-8000-000000000000", i);
        out << fmt::format(
            R"({{"name": "host-{0}", "uuid": "{1}", "inventories": {{"DISK_GB": {{"total": 2000}}}},
"traits": ["HW_CPU_X86_AVX2"]}},
{{"name": "numa-{0}", "uuid": "{2:08x}-0000-4000-8000-000000000001", "parent_uuid": "{1}",
"inventories": {{"VCPU": {{"total": 96, "reserved": 2}}, "MEMORY_MB": 1048576}}, "usages":
{{"VCPU": 7}}}})",
            i,
            host,
            i);
        out << (i + 1 < servers / 2 ? ",\n" : "\n");
    }
    out << "]}\n";
}

std::uint64_t count_nodes(const std::filesystem::path& file) {
    core::Diagnostics diagnostics;
    const auto topology = read_topology_file(file, diagnostics);
    diagnostics.throw_if_failed();
    return topology->server_count();
}

std::uint64_t count_providers(const std::filesystem::path& file) {
    core::Diagnostics diagnostics;
    const auto providers = read_providers_in_parts(file, false, diagnostics);
    BERTH_ASSERT(providers.has_value(), "invented providers are sound");
    return providers->forest.provider_count();
}

struct DocumentKind {
    std::string name;
    std::string ending;
    std::function<void(std::ostream& out, std::uint32_t servers)> write;
    std::uint64_t (*count)(const std::filesystem::path& file);
};

const std::vector<DocumentKind>& kinds() {
    static const std::vector<DocumentKind> all{
        {"kubernetes-nodes", ".json", &write_kubernetes_nodes, &count_nodes},
        {"nodes",
         ".json",
         [](std::ostream& out, std::uint32_t servers) {
             write_tree(out, servers, &topologies::write_json);
         },
         &count_nodes},
        {"graphml",
         ".graphml",
         [](std::ostream& out, std::uint32_t servers) {
             write_tree(out, servers, &topologies::write_graphml);
         },
         &count_nodes},
        {"providers", ".json", &write_providers, &count_providers}};
    return all;
}

void bench_kind(const DocumentKind& kind, const Bench& bench) {
    for (const std::uint32_t servers : bench.sizes({few_servers, many_servers})) {
        const auto file = temporary_folder() /
                          fmt::format("berth-bench-{}-{}{}", ::getpid(), kind.name, kind.ending);
        {
            std::ofstream out(file, std::ios::binary);
            kind.write(out, servers);
        }
        Measurement out{"documents/" + kind.name, servers, "read the file", 0, 0, 0, {}};
        bench.measure(out, 1, [&] { out.counters["elements"] = kind.count(file); });
        std::filesystem::remove(file);
        BERTH_ASSERT(out.counters["elements"] == servers, "everything is read");
        bench.report(out);
    }
}

}  // namespace

std::vector<Benchmark> document_benchmarks() {
    std::vector<Benchmark> out;
    for (const DocumentKind& kind : kinds()) {
        out.push_back({"documents/" + kind.name,
                       "a large cluster is read from a file",
                       [&](const Bench& bench) { bench_kind(kind, bench); }});
    }
    return out;
}

}  // namespace berth::experiments
