#include "experiments/program/results/cluster.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <iterator>
#include <limits>

using namespace berth::report;

namespace {

constexpr double still_running = std::numeric_limits<double>::infinity();

/// Two rooms of two racks of two servers, given in an order that is not the tree's.
std::vector<NodeRow> eight_nodes() {
    std::vector<NodeRow> nodes;
    for (const int n : {0, 4, 1, 5, 2, 6, 3, 7}) {
        NodeRow row;
        row.name = "s" + std::to_string(n);
        row.path = {"room" + std::to_string(n / 4), "rack" + std::to_string(n / 2 % 2)};
        row.capacity = {16, 64};
        row.background = {static_cast<double>(n), 0};
        nodes.push_back(row);
    }
    return nodes;
}

/// Demand 1 is two cores and 8 bytes, demand 2 four cores and 8 bytes; demand 0 is unknown.
const Demands demands{{}, {2, 8}, {4, 8}};

Cluster eight(const std::vector<PodRow>& pods, const std::vector<std::string>& groups) {
    return build_cluster({"room", "rack"},
                         "server",
                         {"cpu", "memory"},
                         eight_nodes(),
                         pods,
                         {groups, {""}, {}},
                         demands);
}

}  // namespace

TEST_CASE("cluster: cells stand in tree order, whatever the order of the rows",
          "[report][cluster]") {
    const Cluster cluster = eight({}, {});
    std::vector<std::string> names;
    std::ranges::transform(cluster.cells, std::back_inserter(names), &Cell::name);
    CHECK(names == std::vector<std::string>{"s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7"});
    REQUIRE(cluster.domains.size() == 2);
    CHECK(cluster.domains[0].size() == 2);
    // Racks with the same name in two rooms are two racks.
    REQUIRE(cluster.domains[1].size() == 4);
    CHECK(cluster.domains[1][2].name == "rack0");
    CHECK(cluster.domains[1][2].parent == 1);
    CHECK(cluster.cells[5].parent == 2);
    CHECK(cluster.views.empty());
}

TEST_CASE("cluster: a view is taken when most members run", "[report][cluster]") {
    // Rows 0..7 are s0 s4 s1 s5 s2 s6 s3 s7. Group 0 peaks at 10, when its first pod has left.
    const std::vector<PodRow> pods{{0, 0, 0, 5, 1},
                                   {2, 0, 10, 20, 1},
                                   {2, 0, 10, still_running, 1},
                                   {1, 1, 30, 40, 2},
                                   {3, no_group, 0, still_running, 0}};
    const Cluster cluster = eight(pods, {"a", "b"});
    REQUIRE(cluster.views.size() == 3);
    CHECK(cluster.member == "member");
    CHECK(cluster.views[0].label == "all groups");
    CHECK(cluster.views[1].label == "a");
    CHECK(cluster.views[1].time_s == 10);
    CHECK(cluster.views[1].count == 2);
    REQUIRE(cluster.views[1].members.size() == 1);
    CHECK(cluster.views[1].members[0].cell == 1);
    CHECK(cluster.views[1].members[0].count == 2);
    CHECK(cluster.views[1].members[0].amount == std::vector<double>{4, 16});
    CHECK(cluster.views[2].time_s == 30);
    // Beside b run the rest of a and a pod without a group, whose demand is unknown.
    REQUIRE(cluster.views[2].others.size() == 2);
    CHECK(cluster.views[2].others[0].cell == 1);
    CHECK(cluster.views[2].others[1].amount.empty());
}

TEST_CASE("cluster: what other groups take counts as background", "[report][cluster]") {
    const Cluster cluster = eight({{0, 0, 0, 9, 1}, {0, 1, 0, 9, 2}}, {"a", "b"});
    const std::vector<DomainUse> cells = use_by_cell(cluster, 0, &cluster.views[1]);
    CHECK(cluster.views[1].label == "a");
    CHECK(cells[0].group == 2);
    CHECK(cells[0].background == 4);
}

TEST_CASE("cluster: without groups all pods are the view, and their demand is not known",
          "[report][cluster]") {
    const Cluster cluster = eight({{0, no_group, 5, 5, 0}, {1, no_group, 5, 9, 0}}, {});
    REQUIRE(cluster.views.size() == 1);
    CHECK(cluster.member == "pod");
    CHECK(cluster.views[0].count == 2);  // a pod without duration is seen at its start
    CHECK(cluster.views[0].members[0].amount.empty());
}

TEST_CASE("cluster: at one instant who leaves goes before who comes", "[report][cluster]") {
    const Cluster cluster = eight({{0, 0, 0, 10, 1}, {1, 0, 10, 20, 1}}, {"a"});
    CHECK(cluster.views[0].count == 1);
    CHECK(cluster.views[0].time_s == 0);
}

TEST_CASE("cluster: aggregation keeps every sum", "[report][cluster]") {
    Cluster cluster = eight({{0, 0, 0, 9, 1}, {1, 0, 0, 9, 1}, {2, 0, 0, 9, 1}}, {"a"});
    aggregate(cluster, 4);
    CHECK(cluster.leaf == "rack");
    CHECK(cluster.levels == std::vector<std::string>{"room"});
    REQUIRE(cluster.cells.size() == 4);
    CHECK(cluster.cells[1].servers == 2);
    CHECK(cluster.cells[1].capacity == std::vector<double>{32, 128});
    CHECK(cluster.cells[1].background[0] == 2 + 3);
    REQUIRE(cluster.views[0].members.size() == 2);
    CHECK(cluster.views[0].members[0].count == 2);
    CHECK(cluster.views[0].members[0].amount[0] == 4);

    aggregate(cluster, 1);  // beyond the last level: one block
    REQUIRE(cluster.cells.size() == 1);
    CHECK(cluster.levels.empty());
    CHECK(cluster.cells[0].servers == 8);
    CHECK(cluster.cells[0].background[0] == 28);
    CHECK(cluster.views[0].members[0].count == 3);
    CHECK(cluster.servers == 8);
}

TEST_CASE("cluster: use is summed by domain", "[report][cluster]") {
    const Cluster cluster = eight({{0, 0, 0, 9, 1}, {1, 0, 0, 9, 1}}, {"a"});
    const std::vector<DomainUse> rooms = use_by_domain(cluster, 0, 0, &cluster.views[0]);
    REQUIRE(rooms.size() == 2);
    CHECK(rooms[0].capacity == 64);
    CHECK(rooms[0].background == 6);
    CHECK(rooms[1].background == 22);
    CHECK(rooms[1].group == 2);
    CHECK(rooms[1].members == 1);
    CHECK(use_by_domain(cluster, 1, 1, nullptr)[3].capacity == 128);
}
