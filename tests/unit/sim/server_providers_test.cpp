#include <string_view>

#include "sim/cluster/inside/providers/server_providers.hpp"

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "core/index/fit_index.hpp"
#include "core/index/score_index.hpp"
#include "tests/support/decider.hpp"

using namespace berth;
using core::Amount;
using core::ServerId;
using sim::CandidateChoice;
using sim::PodQuery;
using sim::ServerProviders;

namespace {

constexpr Amount mebi = 1 << 20;
constexpr Amount gibi = 1 << 30;

/// Eight CPUs on two NUMA nodes, a GPU on each node, 10 GiB of disk, and one NIC of four functions.
core::MachineType numa_host() {
    core::MachineType type{"host", core::Amounts::Zero(5), {}};
    type.capacity << 8'000, 8 * mebi, 10 * gibi, 2'000, 1;
    type.numa_nodes = 2;
    core::DeviceGroup gpu;
    gpu.kind = "gpu";
    gpu.count = 2;
    gpu.numa = {0, 1};
    core::DeviceGroup nic;
    nic.kind = "nic";
    nic.count = 1;
    nic.numa = {1};
    nic.virtual_functions = 4;
    type.devices = {gpu, nic};
    return type;
}

/// Two racks of two servers, with a pool of that many GiB in each rack unless `pool` is 0.
std::shared_ptr<const core::Topology> racks(Amount pool, const core::MachineType& type) {
    core::ResourceSchema schema;
    for (const char* name : {"cpu", "memory", "ephemeral-storage", "nvidia.com/gpu", "nic"}) {
        schema.add(name);
    }
    core::TopologyBuilder builder(schema);
    builder.add_machine_type(type);
    builder.begin_level("cluster");
    builder.add_node(0, "cluster");
    builder.begin_level("rack");
    builder.add_node(0, "r0");
    builder.add_node(0, "r1");
    builder.begin_level("server");
    for (std::uint32_t i = 0; i < 4; ++i) {
        builder.add_server(i / 2, fmt::format("s{}", i), 0);
    }
    std::vector<core::SharedProvider> shared;
    if (pool > 0) {
        shared.push_back({"pool", core::Level{1}, {{"DISK_GB", {.total = pool}}}, {}});
    }
    return std::make_shared<const core::Topology>(
        core::TopologyBuilder::with_shared_providers(builder.build(), std::move(shared)));
}

PodQuery pod(const std::string& text) {
    return {text, std::get<core::CandidateQuery>(core::parse_candidate_query(text))};
}

/// What is used of a class, by the names of providers.
std::string used(const ServerProviders& providers, std::string_view type) {
    const core::ProviderForest& forest = providers.forest();
    std::string out;
    for (core::ProviderIndex p = 0; p < forest.provider_count(); ++p) {
        const auto* row = forest.inventory(p, *forest.classes().find(type));
        if (row != nullptr && row->used > 0) {
            out += fmt::format("{}{}={}", out.empty() ? "" : " ", forest.name(p), row->used);
        }
    }
    return out;
}

/// A cluster whose pods are placed by hand.
struct Cloud {
    explicit Cloud(Amount pool,
                   CandidateChoice choice = CandidateChoice::first,
                   const core::MachineType& type = numa_host())
        : tree(racks(pool, type)), terms(*tree), ledger(tree), providers(ledger, {choice}) {}

    sim::ProviderGrant start(const PodQuery& query, ServerId server) {
        sim::ProviderGrant grant = providers.take(query, server);
        claim(query, server, *grant, 1);
        return grant;
    }
    void stop(const PodQuery& query, ServerId server, const sim::ProviderUse& use) {
        providers.give_back(server, use);
        claim(query, server, use, -1);
    }
    void claim(const PodQuery& query, ServerId server, const sim::ProviderUse& use, int sign) {
        std::vector<Amount> all = *terms.demand(query.query);
        for (std::size_t r = 0; r < use.beside.size(); ++r) {
            all[r] += use.beside[r];
        }
        if (sign > 0) {
            ledger.claim(server, all, 1);
        } else {
            ledger.release(server, all, 1);
        }
    }

    std::shared_ptr<const core::Topology> tree;
    core::ProviderTerms terms;
    core::Ledger ledger;
    ServerProviders providers;
};

sim::Job job_of(const Cloud& cloud, const std::string& text) {
    sim::Job job;
    job.query = std::make_shared<const PodQuery>(pod(text));
    job.demand = *cloud.terms.demand(job.query->query);
    return job;
}

sim::Profile profile() {
    sim::Profile out;
    for (const core::ScorerEntry& entry : core::scorers()) {
        if (entry.name == "first-fit") {
            out.score = {{entry.make(), 1}};
        }
    }
    out.inside.candidates.emplace();
    return out;
}

}  // namespace

TEST_CASE("server providers: what is in use before the run fills the first providers",
          "[sim][providers]") {
    const auto tree = racks(0, numa_host());
    core::Ledger ledger(tree);
    // 5.5 of 8 CPUs: four on the first NUMA node, and a part of a CPU counts as one.
    ledger.occupy(ServerId{0}, std::vector<Amount>{5'500, 3 * mebi, gibi + 1, 500, 1});
    const ServerProviders providers(ledger, {});
    CHECK(used(providers, "VCPU") == "s0_numa0=4 s0_numa1=2");
    CHECK(used(providers, "MEMORY_MB") == "s0_numa0=3");
    CHECK(used(providers, "DISK_GB") == "s0=2");
    CHECK(used(providers, "PGPU") == "s0_numa0_gpu_0=1");
    CHECK(used(providers, "SRIOV_NET_VF") == "s0_numa1_nic_0=4");  // the whole NIC
}

TEST_CASE("server providers: more in use than there is", "[sim][providers]") {
    const auto tree = racks(0, numa_host());
    core::Ledger ledger(tree);
    ledger.occupy(ServerId{1}, std::vector<Amount>{11'000, 0, 0, 0, 0});
    const ServerProviders providers(ledger, {});
    CHECK(used(providers, "VCPU") == "s1_numa0=4 s1_numa1=7");
}

TEST_CASE("server providers: a pod takes one candidate, and gives it back", "[sim][providers]") {
    Cloud cloud(0);
    const PodQuery three = pod("resources_C=VCPU:3,MEMORY_MB:1");
    const core::ServerRule& rule = cloud.providers.rule(three);
    CHECK(rule.most(ServerId{0}, 9) == 2);  // one on each NUMA node, though eight CPUs are there
    const auto first = cloud.start(three, ServerId{0});
    const auto second = cloud.start(three, ServerId{0});
    CHECK(used(cloud.providers, "VCPU") == "s0_numa0=3 s0_numa1=3");
    CHECK_FALSE(rule.score(ServerId{0}).has_value());
    CHECK(cloud.ledger.available(cloud.tree->node_of(ServerId{0}))[0] == 2'000);
    CHECK(rule.score(ServerId{1}).has_value());
    // Two CPUs are left, one on each node, which is not enough for a pod that wants both on one
    // node.
    CHECK(cloud.providers.rule(pod("resources_C=VCPU:1")).most(ServerId{0}, 9) == 2);
    CHECK(cloud.providers.rule(pod("resources_C=VCPU:2")).most(ServerId{0}, 9) == 0);
    cloud.stop(three, ServerId{0}, *first);
    CHECK(used(cloud.providers, "VCPU") == "s0_numa1=3");
    CHECK(rule.most(ServerId{0}, 9) == 1);
    cloud.stop(three, ServerId{0}, *second);
    CHECK(used(cloud.providers, "VCPU").empty());
    CHECK(rule.most(ServerId{0}, 1) == 1);
}

TEST_CASE("server providers: what groups take of one provider is one part", "[sim][providers]") {
    Cloud cloud(0);
    const PodQuery query = pod("resources_A=VCPU:1&resources_B=VCPU:2&group_policy=none");
    const auto grant = cloud.start(query, ServerId{3});
    REQUIRE(grant->parts.size() == 1);
    CHECK(grant->parts[0].amount == 3);
    CHECK(used(cloud.providers, "VCPU") == "s3_numa0=3");
}

TEST_CASE("server providers: pack and spread choose among candidates", "[sim][providers]") {
    using Row = std::pair<CandidateChoice, std::string>;
    const auto [choice, expected] = GENERATE(Row{CandidateChoice::first, "s0_numa0=2 s0_numa1=2"},
                                             Row{CandidateChoice::pack, "s0_numa1=4"},
                                             Row{CandidateChoice::spread, "s0_numa0=2 s0_numa1=2"});
    CAPTURE(static_cast<int>(choice));
    Cloud cloud(0, choice);
    // The NIC is on the second node, and so is a pod that wants CPUs beside it.
    (void)cloud.start(pod("resources_C=VCPU:2&resources_N=SRIOV_NET_VF:1&required_R=HW_NUMA_ROOT"
                          "&same_subtree=_C,_N,_R&group_policy=none"),
                      ServerId{0});
    CHECK(used(cloud.providers, "VCPU") == "s0_numa1=2");
    (void)cloud.start(pod("resources_C=VCPU:2"), ServerId{0});
    CHECK(used(cloud.providers, "VCPU") == expected);
}

TEST_CASE("server providers: pack and spread look at all that a candidate takes of a provider",
          "[sim][providers]") {
    using Row = std::pair<CandidateChoice, std::string>;
    const auto [choice, expected] = GENERATE(Row{CandidateChoice::first, "s0_numa0=4"},
                                             Row{CandidateChoice::pack, "s0_numa0=4"},
                                             Row{CandidateChoice::spread, "s0_numa0=2 s0_numa1=2"});
    CAPTURE(static_cast<int>(choice));
    Cloud cloud(0, choice);
    // Both groups on one node fill it; one group on each node leaves both half full.
    (void)cloud.start(pod("resources_A=VCPU:2&resources_B=VCPU:2&group_policy=none"), ServerId{0});
    CHECK(used(cloud.providers, "VCPU") == expected);
}

TEST_CASE("server providers: the server's own disk is claimed, a pool's is not",
          "[sim][providers]") {
    Cloud cloud(30);
    const PodQuery query = pod("resources=VCPU:1,DISK_GB:8");
    CHECK(cloud.terms.demand(query.query) == std::vector<Amount>{1'000, 0, 0, 0, 0});
    const auto own = cloud.start(query, ServerId{0});
    CHECK(own->beside == std::vector<Amount>{0, 0, 8 * gibi, 0, 0});
    const auto shared = cloud.start(query, ServerId{0});  // the server has 2 GiB left
    CHECK(shared->beside.empty());
    CHECK(used(cloud.providers, "DISK_GB") == "s0=8 pool_r0=8");
    REQUIRE(cloud.providers.shared().size() == 1);
    CHECK(cloud.providers.shared()[0].capacity == 60);
    CHECK(cloud.providers.shared()[0].used == 8);
    CHECK(cloud.ledger.allocated(cloud.tree->node_of(ServerId{0}), 2) == 8 * gibi);
    cloud.providers.catch_up();
    cloud.stop(query, ServerId{0}, *own);
    cloud.stop(query, ServerId{0}, *shared);
    cloud.providers.catch_up();
    CHECK(used(cloud.providers, "DISK_GB").empty());
    CHECK(cloud.providers.shared()[0].used == 0);
}

TEST_CASE("server providers: indexes hear of what others took of a pool", "[sim][providers]") {
    Cloud cloud(30);
    const PodQuery large = pod("resources=VCPU:1,DISK_GB:20");
    const std::vector<core::WeightedScorer> scorers;
    const std::vector<Amount> demand = *cloud.terms.demand(large.query);
    const core::ServerRule& rule = cloud.providers.rule(large);
    core::ScoreIndex scores(cloud.ledger, demand, scorers, &rule);
    core::FitIndex fits(cloud.ledger, demand, core::NumFit::percolated, &rule);
    const auto feasible = [&] {
        scores.catch_up();
        fits.catch_up();
        return std::pair(scores.feasible_count(), fits.fit(cloud.tree->root()));
    };
    CHECK(feasible() == std::pair(std::uint32_t{4}, core::Members{4}));
    const auto first = cloud.start(large, ServerId{0});
    CHECK(feasible() == std::pair(std::uint32_t{2}, core::Members{2}));  // those of the other rack
    // A change that does not matter for this shape causes no other server to be scored again.
    const std::uint64_t scored = scores.servers_scored();
    const PodQuery more = pod("resources=VCPU:1,DISK_GB:4");
    const auto a = cloud.start(more, ServerId{1});  // from the server's own disk
    CHECK(feasible().first == 2);
    CHECK(scores.servers_scored() == scored + 1);
    cloud.stop(large, ServerId{0}, *first);
    CHECK(feasible() == std::pair(std::uint32_t{4}, core::Members{4}));
    CHECK(scores.servers_scored() == scored + 1 + 1 + 2);  // the server, and both of the rack
    cloud.stop(more, ServerId{1}, *a);
}

TEST_CASE("server providers: two parts of a pod from one pool", "[sim][providers]") {
    Cloud cloud(60);
    const PodQuery two = pod("resources_A=DISK_GB:20&resources_B=DISK_GB:25&group_policy=none");
    const std::vector<core::WeightedScorer> scorers;
    core::ScoreIndex index(
        cloud.ledger, std::vector<Amount>(5, 0), scorers, &cloud.providers.rule(two));
    CHECK(index.feasible_count() == 4);
    // 44 are left, which is enough for each part but not for both.
    const auto grant = cloud.start(pod("resources=DISK_GB:16"), ServerId{0});
    index.catch_up();
    CHECK(index.feasible_count() == 2);
    cloud.stop(pod("resources=DISK_GB:16"), ServerId{0}, *grant);
    index.catch_up();
    CHECK(index.feasible_count() == 4);
}

TEST_CASE("server providers: members that each server has room for may be too many together",
          "[sim][providers]") {
    Cloud cloud(50);
    const PodQuery query = pod("resources=VCPU:1,DISK_GB:20");
    const std::vector<core::PlacedNode> two{{cloud.tree->node_of(ServerId{0}), 2},
                                            {cloud.tree->node_of(ServerId{1}), 2}};
    CHECK(cloud.providers.rule(query).most(ServerId{0}, 2) == 2);
    CHECK(cloud.providers.servable(query, two) == 2);
    CHECK(used(cloud.providers, "DISK_GB").empty());  // nothing was taken
    CHECK(cloud.providers.servable(pod("resources=VCPU:1"), two) == 4);
}

TEST_CASE("server providers: whether others could go, without a change", "[sim][providers]") {
    Cloud cloud(0);
    const PodQuery four = pod("resources_C=VCPU:4");
    const auto a = cloud.start(four, ServerId{0});
    const auto b = cloud.start(four, ServerId{0});
    const std::vector<const sim::ProviderUse*> first{a.get()};
    const std::vector<const sim::ProviderUse*> both{a.get(), b.get()};
    CHECK_FALSE(cloud.providers.serves_without(four, ServerId{0}, {}));
    CHECK(cloud.providers.serves_without(four, ServerId{0}, first));
    const PodQuery halves = pod("resources_A=VCPU:3&resources_B=VCPU:3&group_policy=isolate");
    CHECK_FALSE(cloud.providers.serves_without(halves, ServerId{0}, first));
    CHECK(cloud.providers.serves_without(halves, ServerId{0}, both));
    CHECK(used(cloud.providers, "VCPU") == "s0_numa0=4 s0_numa1=4");
}

TEST_CASE("server providers: a server that is down serves nobody", "[sim][providers]") {
    Cloud cloud(0);
    const PodQuery function = pod("resources=SRIOV_NET_VF:1");  // asks for no counted amount
    const core::ServerRule& rule = cloud.providers.rule(function);
    CHECK(rule.most(ServerId{0}, 9) == 4);
    cloud.ledger.take_down(ServerId{0});
    CHECK(rule.most(ServerId{0}, 9) == 0);
    CHECK_FALSE(rule.score(ServerId{0}).has_value());
    cloud.ledger.bring_up(ServerId{0});
    cloud.ledger.occupy(ServerId{0}, std::vector<Amount>{5'000, 0, 0, 0, 1});
    CHECK(rule.most(ServerId{0}, 9) == 0);
    cloud.providers.catch_up();
    CHECK(used(cloud.providers, "VCPU") == "s0_numa0=4 s0_numa1=1");
}

TEST_CASE("server providers: machines whose amounts make no whole unit", "[sim][providers]") {
    core::MachineType type = numa_host();
    type.capacity[0] = 500;
    const auto tree = racks(0, type);
    core::Ledger ledger(tree);
    ledger.occupy(ServerId{0}, std::vector<Amount>{300, 0, 0, 0, 0});
    ServerProviders providers(ledger, {});
    const PodQuery function = pod("resources=SRIOV_NET_VF:1");
    CHECK(providers.rule(function).most(ServerId{0}, 9) == 4);
    (void)providers.take(function, ServerId{0});
    ledger.claim(ServerId{0}, std::vector<Amount>(5, 0), 1);
    CHECK(providers.rule(function).most(ServerId{0}, 9) == 3);
}

TEST_CASE("server providers: what a scheduler says of servers without a candidate",
          "[sim][providers]") {
    Cloud cloud(0);
    const sim::Profile plugins = profile();
    tests::Decider decider(plugins, cloud.ledger);
    const sim::Job three = job_of(cloud, "resources_C=VCPU:3");
    for (int i = 0; i < 8; ++i) {
        CHECK(decider.schedule(three, 1).found);
    }
    const sim::Job two = job_of(cloud, "resources_C=VCPU:2");
    CHECK_FALSE(decider.schedule(two, 1).found);
    CHECK(decider.placer.refusing_servers(two).inside == 4);
    CHECK(decider.placer.explain(two, 0).reason ==
          "0/4 nodes are available: 4 node(s) had no allocation candidate.");
    const sim::Job spread =
        job_of(cloud, "resources_A=VCPU:1&resources_B=VCPU:1&group_policy=none");
    CHECK(decider.schedule(spread, 1).found);
    CHECK(decider.placer.explain(spread, 0).reason ==
          "3/4 nodes are available: 1 Insufficient cpu.");
}

TEST_CASE("server providers: a group starts with as many members as a pool serves",
          "[sim][providers]") {
    Cloud cloud(50);
    const sim::Profile plugins = profile();
    tests::Decider decider(plugins, cloud.ledger);
    sim::Job job = job_of(cloud, "resources=VCPU:1,DISK_GB:20");
    job.group = true;
    job.size = job.min_available = 5;  // two pools serve two members each
    const tests::Decider::Decision all = decider.schedule(job, 5);
    CHECK_FALSE(all.found);
    CHECK(all.placed < 5);
    job.min_available = 2;
    const tests::Decider::Decision some = decider.schedule(job, 5);
    REQUIRE(some.found);
    CHECK(some.placed >= 2);
    CHECK(some.placed <= 4);
    core::Members granted = 0;
    for (std::size_t i = 0; i < some.servers.size(); ++i) {
        granted += std::ssize(some.grants[i]);
        decider.cluster.release(job,
                                cloud.tree->server_of(some.servers[i].node),
                                some.servers[i].count,
                                some.grants[i]);
    }
    CHECK(granted == some.placed);
    CHECK(dynamic_cast<ServerProviders&>(decider.cluster.inside()).shared()[0].used == 0);
}

TEST_CASE("server providers: a group grows only as far as a pool serves it", "[sim][providers]") {
    Cloud cloud(50);
    const sim::Profile plugins = profile();
    tests::Decider decider(plugins, cloud.ledger);
    sim::Job job = job_of(cloud, "resources=VCPU:1,DISK_GB:20");
    job.group = true;
    job.size = job.min_available = 2;
    const tests::Decider::Decision attempt = decider.schedule(job, 2);
    REQUIRE(attempt.found);
    CHECK_FALSE(decider.placer.find_resized(job, 5, attempt.servers).has_value());
    CHECK(decider.placer.find_resized(job, 3, attempt.servers).has_value());
}
