/// candidates/...: the scenarios of the service's measurements. T: hosts of two NUMA nodes with two
/// physical functions each, and local disk. q1 requests VCPU, memory and disk from anywhere in the
/// host, q2 a virtual function on the NUMA node of VCPU and memory, and q3 the same on a tenth of
/// the hosts, chosen by aggregate and by a trait of the root. A unit of work is one query, from its
/// text to all candidates in memory; before each, the use of one host changes. wide: six groups of
/// one GPU each, over a host of eight.

#include <fmt/format.h>

#include <array>
#include <optional>
#include <string_view>

#include "core/allocation_candidates/candidate_search.hpp"
#include "core/machine_views/provider_forest_view.hpp"
#include "core/support/assert.hpp"
#include "experiments/program/bench/benchmark.hpp"
#include "experiments/program/requests/candidates.hpp"

namespace berth::experiments {
namespace {

constexpr std::string_view aggregate = "aaaaaaaa-0000-0000-0000-000000000001";
constexpr std::string_view q1 = "resources=VCPU:2,MEMORY_MB:2048,DISK_GB:20";
constexpr std::string_view q2 =
    "resources=DISK_GB:20&resources_C=VCPU:2,MEMORY_MB:2048&resources_N=SRIOV_NET_VF:1"
    "&required_N=CUSTOM_PHYSNET1&group_policy=none&same_subtree=_C,_N";
constexpr std::string_view q3 =
    "resources=DISK_GB:20&member_of=aaaaaaaa-0000-0000-0000-000000000001"
    "&resources_C=VCPU:2,MEMORY_MB:2048&resources_N=SRIOV_NET_VF:1&required_N=CUSTOM_PHYSNET1"
    "&group_policy=none&same_subtree=_C,_N&root_required=COMPUTE_VOLUME_MULTI_ATTACH";

std::string uuid(std::uint32_t number) {
    return fmt::format("00000000-0000-0000-0000-{:012}", number);
}

/// Adds hosts, with ascending uuids.
class Hosts {
public:
    std::string add(std::string name,
                    std::optional<std::string> parent,
                    std::map<std::string, core::ProviderInventory> inventories,
                    std::map<std::string, core::Amount> usages,
                    std::vector<std::string> traits) {
        core::ResourceProvider provider;
        provider.uuid = uuid(++count_);
        provider.name = std::move(name);
        provider.parent_uuid = std::move(parent);
        provider.inventories = std::move(inventories);
        provider.usages = std::move(usages);
        provider.traits = std::move(traits);
        if (!provider.parent_uuid && in_aggregate_) {
            provider.aggregates.emplace_back(aggregate);
        }
        builder_.add(provider);
        return provider.uuid;
    }
    void add_host(std::uint32_t host) {
        in_aggregate_ = host % 10 == 0;
        const auto root =
            add(fmt::format("cn{}", host),
                std::nullopt,
                {{"DISK_GB", {.total = 1000, .max_unit = 1000}}},
                {{"DISK_GB", 100}},
                host % 2 == 0 ? std::vector<std::string>{"COMPUTE_VOLUME_MULTI_ATTACH"}
                              : std::vector<std::string>{});
        for (int node = 0; node < 2; ++node) {
            const std::string name = fmt::format("cn{}_numa{}", host, node);
            const auto numa =
                add(name,
                    root,
                    {{"VCPU", {.total = 16, .max_unit = 16, .allocation_ratio = 4.0}},
                     {"MEMORY_MB", {.total = 65'536, .reserved = 512, .max_unit = 65'536}}},
                    {{"VCPU", 4 + host % 8}, {"MEMORY_MB", 4096}},
                    {"HW_NUMA_ROOT"});
            for (int function = 0; function < 2; ++function) {
                add(fmt::format("{}_pf{}", name, function),
                    numa,
                    {{"SRIOV_NET_VF", {.total = 8, .max_unit = 8}}},
                    {{"SRIOV_NET_VF", host % 8}},
                    {fmt::format("CUSTOM_PHYSNET{}", function + 1)});
            }
        }
    }
    core::ProviderForest build() { return builder_.build(); }

private:
    core::ProviderForestBuilder builder_;
    std::uint32_t count_ = 0;
    bool in_aggregate_ = false;
};

core::ProviderForest scenario_t(std::uint32_t hosts) {
    Hosts out;
    for (std::uint32_t host = 0; host < hosts; ++host) {
        out.add_host(host);
    }
    return out.build();
}

/// Uses one more VCPU on one host, and at the next call one less.
class ChangingUse {
public:
    explicit ChangingUse(core::ProviderForest& forest)
        : forest_(forest), vcpu_(*forest.classes().find("VCPU")) {
        while (forest.inventory(provider_, vcpu_) == nullptr) {
            ++provider_;
        }
    }
    void change() {
        forest_.add_usage(provider_, vcpu_, taken_ ? -1 : 1);
        taken_ = !taken_;
    }

private:
    core::ProviderForest& forest_;
    core::ClassIndex vcpu_;
    core::ProviderIndex provider_ = 0;
    bool taken_ = false;
};

constexpr std::uint64_t held_max = 10'000'000;

void measure_query(const Bench& bench,
                   Measurement& out,
                   core::ProviderForest& forest,
                   std::string_view text,
                   std::uint64_t expected,
                   bool with_body) {
    ChangingUse use(forest);
    std::string body;
    bench.measure(out, 0.5, [&] {
        use.change();
        const auto query = std::get<core::CandidateQuery>(core::parse_candidate_query(text));
        const core::CandidateSearch search(forest, query);
        const auto found = search.find(held_max);
        BERTH_ASSERT(found && found->size() == expected, "the scenario says how many there are");
        body.clear();
        if (with_body) {
            append_candidates_body(forest, query, search, *found, body);
        }
        out.counters["providers_tried"] = search.providers_tried();
    });
    out.counters["candidates"] = expected;
    if (with_body) {
        out.counters["bytes"] = body.size();
    }
}

void bench_hosts(const std::string& name,
                 std::string_view query,
                 std::uint64_t (*expected)(std::uint64_t hosts),
                 bool with_body,
                 const Bench& bench) {
    for (const std::uint32_t hosts : bench.sizes({10, 100, 1'000, 3'000})) {
        core::ProviderForest forest = scenario_t(hosts);
        Measurement out{"candidates/" + name,
                        hosts,
                        with_body ? "find all candidates and write the body"
                                  : "find all candidates and hold them",
                        0,
                        0,
                        0,
                        {}};
        measure_query(bench, out, forest, query, expected(hosts), with_body);
        bench.report(out);
    }
}

std::uint64_t four_each(std::uint64_t hosts) {
    return 4 * hosts;
}
std::uint64_t two_each(std::uint64_t hosts) {
    return 2 * hosts;
}
/// All hosts have physical functions left, and a tenth of them is in the aggregate.
std::uint64_t two_each_tenth(std::uint64_t hosts) {
    return 2 * hosts / 10;
}

void bench_candidates_wide(const Bench& bench) {
    constexpr std::uint32_t children = 8;
    constexpr std::uint32_t groups = 6;
    if (bench.sizes({groups}).empty()) {
        return;
    }
    Hosts host;
    const std::string root = host.add("cn", std::nullopt, {{"VCPU", {.total = 64}}}, {}, {});
    for (std::uint32_t gpu = 0; gpu < children; ++gpu) {
        host.add(fmt::format("gpu{}", gpu), root, {{"PGPU", {.total = 1}}}, {}, {});
    }
    core::ProviderForest forest = host.build();
    std::string query = "resources=VCPU:1";
    std::uint64_t expected = 1;
    for (std::uint32_t group = 1; group <= groups; ++group) {
        query += fmt::format("&resources{}=PGPU:1", group);
        expected *= children + 1 - group;
    }
    query += "&group_policy=none";
    Measurement out{"candidates/wide", groups, "find all candidates and hold them", 0, 0, 0, {}};
    measure_query(bench, out, forest, query, expected, false);
    bench.report(out);
}

void bench_candidates_build(const Bench& bench) {
    constexpr core::Amount gib = core::Amount{1} << 30;
    core::ResourceSchema schema;
    schema.add("cpu");
    schema.add("memory");
    schema.add("ephemeral-storage");
    core::MachineType type{"host", core::Amounts(3), {}};
    type.capacity << 64'000, 256 * gib, 1'000 * gib;
    type.numa_nodes = 2;
    type.devices.push_back({"nic", 4, "", 0, {0, 0, 1, 1}, {}, {}, 8});
    for (const std::uint32_t hosts : bench.sizes({1'000, 10'000, 100'000})) {
        core::TopologyBuilder builder(schema);
        const std::uint32_t host = builder.add_machine_type(type);
        builder.begin_level("cluster");
        builder.add_node(0, "cluster");
        builder.begin_level("host");
        for (std::uint32_t i = 0; i < hosts; ++i) {
            builder.add_server(0, fmt::format("host-{}", i), host);
        }
        const core::Topology tree = builder.build();
        Measurement out{"candidates/build", hosts, "make all providers of the hosts", 0, 0, 0, {}};
        bench.measure(out, 0.5, [&] {
            out.counters["providers"] = core::provider_forest(tree).provider_count();
        });
        bench.report(out);
    }
}

void bench_candidates_limit(const Bench& bench) {
    for (const std::uint32_t hosts : bench.sizes({1'000, 10'000, 100'000})) {
        core::ProviderForest forest = scenario_t(hosts);
        Measurement out{"candidates/limit", hosts, "find ten candidates of q3", 0, 0, 0, {}};
        measure_query(bench, out, forest, fmt::format("{}&limit=10", q3), 10, false);
        bench.report(out);
    }
}

}  // namespace

std::vector<Benchmark> candidates_benchmarks() {
    return {{"candidates/q1",
             "VCPU, memory and disk from wherever in a host",
             [](const Bench& bench) { bench_hosts("q1", q1, &four_each, false, bench); }},
            {"candidates/q1/json",
             "the same, and the body written",
             [](const Bench& bench) { bench_hosts("q1/json", q1, &four_each, true, bench); }},
            {"candidates/q2",
             "a virtual function on the NUMA node of VCPU and memory",
             [](const Bench& bench) { bench_hosts("q2", q2, &two_each, false, bench); }},
            {"candidates/q2/json",
             "the same, and the body written",
             [](const Bench& bench) { bench_hosts("q2/json", q2, &two_each, true, bench); }},
            {"candidates/q3",
             "q2 on a tenth of the hosts",
             [](const Bench& bench) { bench_hosts("q3", q3, &two_each_tenth, false, bench); }},
            {"candidates/q3/json",
             "the same, and the body written",
             [](const Bench& bench) { bench_hosts("q3/json", q3, &two_each_tenth, true, bench); }},
            {"candidates/wide", "six groups over eight equal children", &bench_candidates_wide},
            {"candidates/build",
             "the providers of hosts of one machine type, seven each",
             &bench_candidates_build},
            {"candidates/limit",
             "ten candidates of q3, however many hosts there are",
             &bench_candidates_limit}};
}

}  // namespace berth::experiments
