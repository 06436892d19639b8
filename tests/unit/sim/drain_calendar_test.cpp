#include "sim/cluster/drain_calendar.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "tests/support/dice.hpp"

using namespace berth;
using namespace std::chrono_literals;
using sim::SimTime;

namespace {

/// Two racks of two servers.
core::Topology two_racks() {
    core::ResourceSchema schema;
    schema.add("units");
    core::TopologyBuilder builder(schema);
    builder.add_machine_type({"host", core::Amounts::Constant(1, 1), {}});
    builder.begin_level("cluster");
    builder.add_node(0, "cluster");
    builder.begin_level("rack");
    builder.add_node(0, "rack-0");
    builder.add_node(0, "rack-1");
    builder.begin_level("server");
    for (std::uint32_t server = 0; server < 4; ++server) {
        builder.add_server(server / 2, "server-" + std::to_string(server), 0);
    }
    return builder.build();
}

constexpr std::uint32_t nodes = 7;

bool lies_below(const core::Topology& tree, core::ServerId server, core::NodeId node) {
    core::NodeId at = tree.node_of(server);
    while (at != node && at != tree.root()) {
        at = tree.parent(at);
    }
    return at == node;
}

/// Whether a job that is on a server from a time on, for a moment at least, meets a window.
bool meets(const core::Topology& tree,
           const std::vector<sim::DrainWindow>& windows,
           core::ServerId server,
           SimTime from,
           SimTime run) {
    return std::ranges::any_of(windows, [&](const sim::DrainWindow& window) {
        const bool begins = run == sim::never || window.at < from + std::max(run, 1ns);
        return lies_below(tree, server, window.node) && begins && window.until > from;
    });
}

/// Windows of random nodes, of which no two on one server overlap.
std::vector<sim::DrainWindow> random_windows(const core::Topology& tree, tests::Dice& dice) {
    std::vector<sim::DrainWindow> windows;
    for (int tries = 0; tries < 8; ++tries) {
        const SimTime at(dice.roll(0, 20));
        const core::NodeId node{static_cast<std::uint32_t>(dice.roll(0, nodes - 1))};
        const sim::DrainWindow window{at, at + SimTime(dice.roll(1, 8)), node, {}, true};
        bool overlaps = false;
        for (std::uint32_t server = 0; server < tree.server_count(); ++server) {
            overlaps =
                overlaps ||
                (lies_below(tree, core::ServerId{server}, window.node) &&
                 meets(tree, windows, core::ServerId{server}, window.at, window.until - window.at));
        }
        if (!overlaps) {
            windows.push_back(window);
        }
    }
    std::ranges::stable_sort(windows, {}, &sim::DrainWindow::at);
    return windows;
}

}  // namespace

TEST_CASE("drain calendar: it refuses whom a plain list of windows refuses", "[sim][drains]") {
    const core::Topology tree = two_racks();
    for (std::uint64_t seed = 0; seed < 500; ++seed) {
        CAPTURE(seed);
        tests::Dice dice(seed);
        const std::vector<sim::DrainWindow> windows = random_windows(tree, dice);
        sim::DrainCalendar calendar(tree, windows);
        std::set<core::ServerId> changed;
        for (SimTime now(0); now < SimTime(32); ++now) {
            CAPTURE(now.count());
            changed.clear();
            calendar.go_to(now, [&](core::ServerId server) { changed.insert(server); });
            for (std::uint32_t index = 0; index < tree.server_count(); ++index) {
                const core::ServerId server{index};
                CAPTURE(index);
                const bool open = meets(tree, windows, server, now, SimTime(0));
                REQUIRE(calendar.is_open(server) == open);
                if (now > SimTime(0) &&
                    open != meets(tree, windows, server, now - 1ns, SimTime(0))) {
                    REQUIRE(changed.contains(server));
                }
                sim::Job job;
                job.expected = dice.roll(0, 9) == 0 ? sim::never : SimTime(dice.roll(0, 30));
                const bool expected = meets(tree, windows, server, now, job.expected);
                REQUIRE(calendar.meets(server, now, job.expected) == expected);
                const core::ServerRule* rule = calendar.rule(calendar.met(job));
                REQUIRE((rule != nullptr && !rule->score(server)) == expected);
                REQUIRE((rule == nullptr ? 3 : rule->most(server, 3)) == (expected ? 0 : 3));
                const auto meeting = calendar.meeting(job.expected);
                REQUIRE(std::ranges::binary_search(meeting, server) == expected);
            }
        }
    }
}

TEST_CASE("drain calendar: between its changes it answers the same", "[sim][drains]") {
    const core::Topology tree = two_racks();
    for (std::uint64_t seed = 0; seed < 500; ++seed) {
        CAPTURE(seed);
        tests::Dice dice(seed);
        const std::vector<sim::DrainWindow> windows = random_windows(tree, dice);
        const sim::DrainCalendar calendar(tree, windows);
        const SimTime run = dice.roll(0, 9) == 0 ? sim::never : SimTime(dice.roll(0, 30));
        const core::ServerId server{static_cast<std::uint32_t>(dice.roll(0, 3))};
        SimTime change(0);
        for (SimTime from(0); from < SimTime(60); ++from) {
            const bool expected = meets(tree, windows, server, from, run);
            REQUIRE(calendar.meets(server, from, run) == expected);
            if (from == change) {
                change = calendar.next_change(server, from, run);
                REQUIRE(change > from);
            } else {
                REQUIRE(expected == meets(tree, windows, server, from - 1ns, run));
            }
        }
    }
}
