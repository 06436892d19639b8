#include <catch2/catch.hpp>

#include <fmt/format.h>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "schedulers/kueue/decide/topology_aware/topology_assigner.hpp"
#include "schedulers/kueue/decide/topology_aware/topology_places.hpp"
#include "tests/support/random_cluster.hpp"

using namespace berth;
using namespace berth::core::kueue;

namespace {

TopologySnapshot::Spec three_levels(const core::Topology& tree, bool leaves_are_nodes) {
    TopologySnapshot::Spec spec;
    spec.name = "default";
    spec.levels = {
        "block",
        "rack",
        leaves_are_nodes ? std::string(TopologySnapshot::hostname) : std::string("host")};
    for (std::uint32_t i = 0; leaves_are_nodes && i < tree.server_count(); ++i) {
        spec.nodes.push_back({std::string(tree.name(tree.node_of(core::ServerId{i}))),
                              {{"parity", i % 2 == 0 ? "even" : "odd"}},
                              {}});
    }
    return spec;
}

TopologyRequest random_request(tests::Dice& dice, const std::vector<std::string>& levels) {
    TopologyRequest request;
    const std::size_t level = static_cast<std::size_t>(dice.roll(0, 2));
    const std::int64_t kind = dice.roll(0, 3);
    if (kind == 0) {
        request.required = levels[level];
    } else if (kind == 1) {
        request.preferred = levels[level];
    } else {
        request.unconstrained = kind == 2;
    }
    if (kind == 3 || dice.chance(30)) {
        const auto slices = static_cast<std::size_t>(dice.roll(static_cast<int>(level), 2));
        request.layers.push_back({levels[slices], dice.roll(1, 3)});
    }
    return request;
}

TopologyPodSet random_set(tests::Dice& dice, const TopologySnapshot& snapshot) {
    TopologyPodSet set;
    set.name = "workers";
    set.count = dice.roll(1, 8);
    set.requests = {dice.roll(1, 2), dice.roll(0, 2)};
    set.request = random_request(dice, {snapshot.levels().begin(), snapshot.levels().end()});
    if (snapshot.has_nodes() && dice.chance(20)) {
        set.node_selector["parity"] = "even";
    }
    return set;
}

struct Running {
    core::ServerId server;
    std::vector<core::Amount> requests;
    std::int64_t pods = 0;
};

void take(const TopologyAssignment& assignment,
          const TopologySnapshot& snapshot,
          const std::vector<core::Amount>& requests,
          core::Ledger& ledger,
          std::deque<Running>& running) {
    for (const TopologyAssignment::Domain& domain : assignment.domains) {
        const core::ServerId server =
            ledger.topology().server_of(*snapshot.find_leaf(domain.values));
        ledger.claim(server, requests, domain.count);
        running.push_back({server, requests, domain.count});
    }
}

std::string text_of(const std::vector<PodSetPlacement>& placements) {
    std::string text;
    for (const PodSetPlacement& placement : placements) {
        text += placement.name + ":" + placement.reason;
        if (placement.assignment) {
            for (const TopologyAssignment::Domain& domain : placement.assignment->domains) {
                text += fmt::format(" {}={}", fmt::join(domain.values, "/"), domain.count);
            }
        }
        text += ";";
    }
    return text;
}

}  // namespace

TEST_CASE("kueue topology: counts that are kept decide as counts made anew", "[kueue]") {
    for (std::uint64_t seed = 0; seed < tests::cases(30); ++seed) {
        CAPTURE(seed);
        tests::Dice dice(seed);
        const auto tree = tests::random_tree(dice, 3, 4, 6, 2);
        core::Ledger ledger(tree);
        TopologySnapshot::Spec spec = three_levels(*tree, dice.chance(50));
        spec.gates.set(FeatureGate::balanced_placement, dice.chance(30));
        spec.gates.set(FeatureGate::profile_mixed, dice.chance(50));
        const TopologySnapshot snapshot(spec, &ledger);
        CountedShapes kept(snapshot);
        std::deque<Running> running;
        for (int step = 0; step < 60; ++step) {
            CAPTURE(step);
            std::vector<TopologyPodSet> sets{random_set(dice, snapshot)};
            if (dice.chance(40)) {
                sets.push_back(random_set(dice, snapshot));
                sets.back().name = "others";
            } else if (dice.chance(20)) {
                sets.front().group = "group";
                sets.push_back(sets.front());
                sets.back().name = "leader";
                sets.back().count = 1;
            }
            const TopologyWorkload workload;
            const auto placed = TopologyAssigner(kept, workload, false).assign(sets);
            CountedShapes fresh(snapshot);
            REQUIRE(text_of(placed) ==
                    text_of(TopologyAssigner(fresh, workload, false).assign(sets)));
            if (sets.size() == 1 && placed.front().assignment) {
                take(*placed.front().assignment, snapshot, sets.front().requests, ledger, running);
            }
            while (!running.empty() && dice.chance(50)) {
                const Running& oldest = running.front();
                ledger.release(oldest.server, oldest.requests, oldest.pods);
                running.pop_front();
            }
        }
    }
}

TEST_CASE("kueue topology: a decision counts what changed, however large the cluster is",
          "[kueue][counter]") {
    const std::uint32_t racks = GENERATE(8U, 256U);
    core::ResourceSchema schema;
    schema.add("gpu");
    core::TopologyBuilder builder(schema);
    builder.add_machine_type({"any", core::Amounts::Constant(1, 8), {}});
    builder.begin_level("cluster");
    builder.add_node(0, "root");
    builder.begin_level("block");
    builder.add_node(0, "b");
    builder.begin_level("rack");
    for (std::uint32_t rack = 0; rack < racks; ++rack) {
        builder.add_node(0, fmt::format("r{}", rack));
    }
    builder.begin_level("host");
    for (std::uint32_t server = 0; server < 4 * racks; ++server) {
        builder.add_server(server / 4, fmt::format("s{}", server), 0);
    }
    const auto tree = std::make_shared<const core::Topology>(builder.build());
    core::Ledger ledger(tree);
    const TopologySnapshot snapshot(three_levels(*tree, false), &ledger);
    TaskShape shape;
    shape.workers = {1};
    shape.slice_level = 2;
    shape.inner_sizes = {0, 0, 0};
    ShapeCounts counts(snapshot, shape);
    counts.catch_up({});
    CHECK(counts[tree->level_nodes(core::Level{1})[0]].pods == 32 * racks);
    const std::uint64_t before = counts.states_computed();
    ledger.claim(core::ServerId{5}, std::vector<core::Amount>{1}, 3);
    counts.catch_up({});
    CHECK(counts[tree->level_nodes(core::Level{1})[0]].pods == 32 * racks - 3);
    CHECK(counts.states_computed() - before == 3);  // the server, its rack and its block
}

TEST_CASE("kueue topology: what one decision edits is gone at the next", "[kueue]") {
    tests::Dice dice(1);
    const auto tree = tests::random_tree(dice, 3, 3, 6);
    core::Ledger ledger(tree);
    const TopologySnapshot snapshot(three_levels(*tree, false), &ledger);
    TaskShape shape;
    shape.workers = {1};
    shape.slice_level = 2;
    shape.inner_sizes = {0, 0, 0};
    ShapeCounts counts(snapshot, shape);
    const core::NodeId leaf = tree->node_of(core::ServerId{0});
    counts.catch_up({});
    const DomainState before = counts[leaf];
    counts.edit(leaf).pods = 0;
    counts.edit(leaf).slices = 0;
    counts.catch_up({{leaf, {1}}});
    CHECK(counts[leaf].pods == before.pods - 1);
    counts.catch_up({});
    CHECK(counts[leaf] == before);
}

TEST_CASE("kueue topology: places that wait for room are taken for all flavors on their server",
          "[kueue]") {
    tests::Dice dice(1);
    const auto tree = tests::random_tree(dice, 3, 1, 1);
    const core::Ledger ledger(tree);
    Names names;
    const FlavorId one = names.flavor("one");
    const FlavorId other = names.flavor("other");
    TopologyPlaces places(ledger, names);
    for (const FlavorId flavor : {one, other}) {
        places.add_flavor(flavor, three_levels(*tree, true));
    }
    const core::NodeId leaf = tree->node_of(core::ServerId{0});
    const core::Amount all = ledger.available(leaf)[0];
    Workload workload;
    workload.pod_sets.emplace_back();
    workload.pod_sets.front().pod_requests = {all};
    PodSetResources& total = workload.totals.emplace_back();
    total.places = TopologyAssignment{{}, {{{std::string(tree->name(leaf))}, 1}}};
    total.placed_on = one;
    const PodSet& set = workload.pod_sets.front();

    CHECK(places.has_room(other, set, *total.places));
    places.reserve(workload);
    CHECK_FALSE(places.has_room(one, set, *total.places));
    CHECK_FALSE(places.has_room(other, set, *total.places));
    places.end_cycle();
    CHECK_FALSE(places.has_room(other, set, *total.places));
    // In a cycle that takes the workload out, only its own flavor sees that it is gone.
    places.remove_usage(one, set, *total.places);
    CHECK(places.has_room(one, set, *total.places));
    CHECK_FALSE(places.has_room(other, set, *total.places));
    places.end_cycle();
    places.cancel(workload);
    CHECK(places.has_room(other, set, *total.places));
}
