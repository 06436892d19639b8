// The indices of pods under GPU policies, compared with looking at every server.

#include <algorithm>
#include <optional>
#include <tuple>

#include <catch2/catch.hpp>

#include "core/gpu_sharing/gpu_score_index.hpp"
#include "core/gpu_sharing/tree_score_index.hpp"
#include "tests/support/dice.hpp"
#include "tests/support/gpu_cluster.hpp"

using namespace berth;
using core::Amount;
using core::GpuGrant;
using core::GpuPod;
using core::GpuRequest;
using core::GpuServer;
using core::ServerId;

namespace {

struct Shape {
    GpuRequest request;
    GpuPod pod;
    std::vector<Amount> demand;
};

/// A cluster in which pods come and go.
struct World {
    World(std::uint64_t seed, std::size_t servers, std::size_t per_rack) : dice(seed) {
        std::vector<tests::GpuMachine> machines;
        for (std::size_t i = 0; i < servers; ++i) {
            const std::int64_t gpus = std::int64_t{1} << dice.roll(0, 3);
            machines.push_back({fmt::format("s{}", i),
                                8000 * gpus,
                                4096 * gpus,
                                dice.chance(10) ? 0 : gpus,
                                dice.chance(50) ? "A" : "B"});
        }
        tree = tests::gpu_cluster(machines, per_rack);
        ledger.emplace(tree);
        ledger->share_gpus();
        core::TypicalPodCounter counter;
        for (std::uint32_t i = 0; i < 8; ++i) {
            Shape shape;
            if (i > 0) {
                shape.request.count = i < 5 ? 1 : std::int64_t{1} << (i - 5);
                shape.request.milli = i < 5 ? 200 * i : 1000;
                shape.request.models =
                    i % 3 == 0 ? std::vector<std::string>{"B"} : std::vector<std::string>();
            }
            shape.pod = {dice.roll(0, 6000),
                         static_cast<core::GpuMilli>(shape.request.milli),
                         static_cast<std::uint32_t>(shape.request.count),
                         i};
            shape.demand = {shape.pod.cpu, dice.roll(0, 4096) << 20, shape.pod.total()};
            counter.add(shape.pod.cpu, shape.request);
            shapes.push_back(shape);
        }
        typical = counter.typical(100);
        fragmentation.emplace(typical, ledger->gpus().sets(), ledger->gpus().models());
    }

    GpuServer view(ServerId server) const {
        const core::GpuShares& gpus = ledger->gpus();
        return {ledger->available(tree->node_of(server))[0],
                gpus.set(server),
                gpus.free(server),
                gpus.model(server),
                gpus.kinds(server)};
    }
    bool fits(const Shape& shape, ServerId server) const {
        const auto available = ledger->available(tree->node_of(server));
        for (std::size_t r = 0; r < 3; ++r) {
            if (shape.demand[r] > 0 && available[r] < shape.demand[r]) {
                return false;
            }
        }
        const auto free = ledger->gpus().free(server);
        const std::int64_t enough = std::ranges::count_if(
            free, [&](core::GpuMilli milli) { return milli >= shape.pod.milli; });
        const auto& models = shape.request.models;
        const std::string& model = ledger->gpus().models().names()[ledger->gpus().model(server)];
        return shape.request.count == 0 ||
               (enough >= shape.request.count &&
                (models.empty() || std::ranges::find(models, model) != models.end()));
    }
    /// A pod comes to a server on which it fits, or one goes.
    void step() {
        if (!running.empty() && dice.chance(35)) {
            const auto at = static_cast<std::size_t>(
                dice.roll(0, static_cast<std::int64_t>(running.size()) - 1));
            const auto [server, shape, grant] = running[at];
            running.erase(running.begin() + static_cast<long>(at));
            ledger->release_gpus(server, grant);
            ledger->release(server, shapes[shape].demand, 1);
            return;
        }
        const auto shape = static_cast<std::size_t>(dice.roll(0, 7));
        const ServerId server{static_cast<std::uint32_t>(dice.roll(0, tree->server_count() - 1))};
        if (!fits(shapes[shape], server)) {
            return;
        }
        GpuGrant grant{0, shapes[shape].pod.milli};
        std::int64_t left = shapes[shape].request.count;
        for (std::size_t device = 0; left > 0; ++device) {
            if (ledger->gpus().free(server)[device] >= grant.milli) {
                grant.devices |= core::bit(device);
                --left;
            }
        }
        ledger->claim_gpus(server, grant);
        ledger->claim(server, shapes[shape].demand, 1);
        running.emplace_back(server, shape, grant);
    }

    tests::Dice dice;
    std::shared_ptr<const core::Topology> tree;
    std::optional<core::Ledger> ledger;
    std::vector<Shape> shapes;
    core::TypicalPods typical;
    std::optional<core::Fragmentation> fragmentation;
    std::vector<std::tuple<ServerId, std::size_t, GpuGrant>> running;
};

std::optional<ServerId> best_by_looking(World& world, const Shape& shape, core::GpuPolicy& policy) {
    std::optional<ServerId> best;
    std::int32_t best_score = -1;
    for (std::uint32_t i = 0; i < world.tree->server_count(); ++i) {
        if (world.fits(shape, ServerId{i})) {
            const std::int32_t score = policy.score(world.view(ServerId{i}), shape.pod);
            if (score > best_score) {
                best = ServerId{i};
                best_score = score;
            }
        }
    }
    return best;
}

/// The least cost of any server and any way to take its GPUs, summed up from the server to the
/// level below the root.
std::int64_t least_by_looking(World& world,
                              const Shape& shape,
                              core::TreePolicy& policy,
                              std::optional<ServerId> only) {
    core::GpuDomains domains(*world.ledger);
    std::int64_t least = core::no_way;
    for (std::uint32_t i = 0; i < world.tree->server_count(); ++i) {
        if (!world.fits(shape, ServerId{i}) || (only && only->index != i)) {
            continue;
        }
        core::NodeId node = world.tree->node_of(ServerId{i});
        const auto costs =
            policy.server_costs(world.view(ServerId{i}), domains.domain(node), shape.pod);
        for (std::size_t take = 0; take < core::take_count; ++take) {
            std::int64_t cost = costs[take];
            if (cost == core::no_way) {
                continue;
            }
            for (core::NodeId up = world.tree->parent(node); up != world.tree->root();
                 up = world.tree->parent(up)) {
                cost += policy.domain_cost(
                    domains.domain(up), take == 1 ? shape.request.count : 0, shape.pod);
            }
            least = std::min(least, cost);
        }
    }
    return least;
}

}  // namespace

TEST_CASE("gpu score index: the same server as looking at all of them", "[core][gpu-sharing]") {
    for (const std::size_t servers : {1U, 63U, 65U, 200U}) {
        for (const core::GpuPolicyEntry& entry : core::gpu_policies()) {
            CAPTURE(entry.name, servers);
            World world(servers, servers, 0);
            const auto policy = entry.make({world.ledger->gpus().sets(), *world.fragmentation, 1});
            std::vector<std::unique_ptr<core::GpuScoreIndex>> indices;
            for (const Shape& shape : world.shapes) {
                indices.push_back(std::make_unique<core::GpuScoreIndex>(*world.ledger,
                                                                        shape.demand,
                                                                        shape.request,
                                                                        shape.pod,
                                                                        *policy,
                                                                        nullptr,
                                                                        nullptr));
            }
            for (int step = 0; step < 400; ++step) {
                world.step();
                const auto asked = static_cast<std::size_t>(world.dice.roll(0, 7));
                indices[asked]->catch_up();
                const auto best = indices[asked]->best();
                const auto expected = best_by_looking(world, world.shapes[asked], *policy);
                REQUIRE(best.has_value() == expected.has_value());
                if (policy->draws_server()) {
                    REQUIRE((!best || world.fits(world.shapes[asked], *best)));
                } else {
                    REQUIRE(best == expected);
                }
                std::uint32_t feasible = 0;
                for (std::uint32_t i = 0; i < world.tree->server_count(); ++i) {
                    feasible += world.fits(world.shapes[asked], ServerId{i}) ? 1 : 0;
                }
                REQUIRE(indices[asked]->feasible_count() == feasible);
            }
        }
    }
}

TEST_CASE("gpu score index: ties go by the order that is given", "[core][gpu-sharing]") {
    // Idle servers of one kind are equally good.
    std::vector<tests::GpuMachine> machines(70, {"s", 32000, 4096, 4, "A"});
    for (std::size_t i = 0; i < machines.size(); ++i) {
        machines[i].name = fmt::format("s{}", i);
    }
    core::Ledger ledger(tests::gpu_cluster(machines));
    ledger.share_gpus();
    const core::TypicalPods none;
    core::Fragmentation fragmentation(none, ledger.gpus().sets(), ledger.gpus().models());
    const auto order = core::ServerOrder::drawn(70, 3);
    std::vector<std::uint32_t> servers;
    for (std::uint32_t place = 0; place < 70; ++place) {
        CHECK(order.place[order.server[place].index] == place);
        servers.push_back(order.server[place].index);
    }
    CHECK_FALSE(std::ranges::is_sorted(servers));
    for (const core::GpuPolicyEntry& entry : core::gpu_policies()) {
        const auto policy = entry.make({ledger.gpus().sets(), fragmentation, 1});
        if (!policy->draws_server()) {
            CAPTURE(entry.name);
            core::GpuScoreIndex first(
                ledger, {1, 1, 500}, {500, 1, {}}, {1, 500, 1, 0}, *policy, nullptr, nullptr);
            core::GpuScoreIndex drawn(
                ledger, {1, 1, 500}, {500, 1, {}}, {1, 500, 1, 0}, *policy, &order, nullptr);
            CHECK(first.best()->index == 0);
            CHECK(drawn.best() == order.server[0]);
        }
    }
}

TEST_CASE("gpu score index: work follows what changed", "[core][gpu-sharing]") {
    World world(5, 1000, 0);
    const auto policy =
        core::gpu_policies().front().make({world.ledger->gpus().sets(), *world.fragmentation, 1});
    const Shape& shape = world.shapes[1];
    core::GpuScoreIndex index(
        *world.ledger, shape.demand, shape.request, shape.pod, *policy, nullptr, nullptr);
    const std::uint64_t built = index.servers_scored();
    CHECK(built < 600);  // servers that are alike are scored once: there are 481 kinds of them
    for (int i = 0; i < 5; ++i) {
        world.ledger->claim(ServerId{7}, shape.demand, 0);
    }
    index.catch_up();
    CHECK(index.servers_scored() == built + 1);  // one server, however often it changed
}

TEST_CASE("tree score index: no server costs less", "[core][gpu-sharing]") {
    for (const std::size_t per_rack : {0U, 4U}) {
        for (const core::TreePolicyEntry& entry : core::tree_policies()) {
            CAPTURE(entry.name, per_rack);
            World world(9, 40, per_rack);
            const auto policy =
                entry.make({world.ledger->gpus().sets(), *world.fragmentation, {{8, 2}, {16, 1}}});
            core::GpuDomains domains(*world.ledger);
            std::vector<std::unique_ptr<core::TreeScoreIndex>> indices;
            for (const Shape& shape : world.shapes) {
                indices.push_back(std::make_unique<core::TreeScoreIndex>(*world.ledger,
                                                                         domains,
                                                                         shape.demand,
                                                                         shape.request,
                                                                         shape.pod,
                                                                         *policy,
                                                                         nullptr));
            }
            for (int step = 0; step < 400; ++step) {
                world.step();
                const auto asked = static_cast<std::size_t>(world.dice.roll(0, 7));
                indices[asked]->catch_up();
                const auto best = indices[asked]->best();
                const Shape& shape = world.shapes[asked];
                const std::int64_t least = least_by_looking(world, shape, *policy, std::nullopt);
                REQUIRE(best.has_value() == (least != core::no_way));
                if (best) {
                    REQUIRE(world.fits(shape, *best));
                    REQUIRE(least_by_looking(world, shape, *policy, best) == least);
                }
            }
        }
    }
}

TEST_CASE("topology-aware packing: the rack in use before the idle one, islands stay whole",
          "[core][gpu-sharing]") {
    // Two racks of two servers of four GPUs; something runs on the last server.
    std::vector<tests::GpuMachine> machines;
    for (int i = 0; i < 4; ++i) {
        machines.push_back({fmt::format("s{}", i), 32000, 4096, 4, "A"});
    }
    const auto tree = tests::gpu_cluster(machines, 2);
    core::Ledger ledger(tree);
    ledger.share_gpus();
    ledger.claim_gpus(ServerId{3}, {core::bit(0), 1000});
    ledger.claim(ServerId{3}, std::vector<Amount>{1000, 0, 1000}, 1);
    const core::TypicalPods none;
    core::Fragmentation fragmentation(none, ledger.gpus().sets(), ledger.gpus().models());
    const auto policy =
        core::tree_policies().back().make({ledger.gpus().sets(), fragmentation, {}});
    REQUIRE(core::tree_policies().back().name == "topology-aware-packing");
    core::GpuDomains domains(ledger);
    const auto where = [&](std::int64_t gpus) {
        const GpuRequest request{1000, gpus, {}};
        core::TreeScoreIndex index(ledger,
                                   domains,
                                   {1000, 0, gpus * 1000},
                                   request,
                                   {1000, 1000, static_cast<std::uint32_t>(gpus), 0},
                                   *policy,
                                   nullptr);
        return index.best()->index;
    };
    CHECK(where(3) == 3);
    CHECK(where(4) == 2);  // the last server has three free; its rack is in use, the other is not
}

TEST_CASE("island choice: the smallest island that suffices, or few of the largest",
          "[core][gpu-sharing]") {
    const std::vector<core::DeviceMask> islands{0b00001111, 0b11110000};
    const std::vector<core::GpuMilli> free{1000, 1000, 1000, 1000, 0, 1000, 1000, 500};
    CHECK(core::choose_by_island(free, islands, 2) == 0b01100000);
    CHECK(core::choose_by_island(free, islands, 3) == 0b00000111);
    CHECK(core::choose_by_island(free, islands, 5) == 0b00101111);
    CHECK(core::choose_by_island(free, {}, 5) == 0b00101111);
}

TEST_CASE(
    "topology-aware packing: a share breaks into a free device only where none in use has room",
    "[core][gpu-sharing]") {
    // The only server has two devices; 800 thousandths of the first are in use.
    core::Ledger ledger(tests::gpu_cluster({{"s", 32000, 4096, 2, "A"}}));
    ledger.share_gpus();
    ledger.claim_gpus(ServerId{0}, {core::bit(0), 800});
    const core::TypicalPods none;
    core::Fragmentation fragmentation(none, ledger.gpus().sets(), ledger.gpus().models());
    const auto policy =
        core::tree_policies().back().make({ledger.gpus().sets(), fragmentation, {}});
    REQUIRE(core::tree_policies().back().name == "topology-aware-packing");
    const core::GpuDomains domains(ledger);
    const auto costs = [&](core::GpuMilli milli) {
        const core::GpuShares& gpus = ledger.gpus();
        const core::GpuServer view{
            32000, gpus.set(ServerId{0}), gpus.free(ServerId{0}), 0, gpus.kinds(ServerId{0})};
        return policy->server_costs(
            view, domains.domain(ledger.topology().node_of(ServerId{0})), {1000, milli, 1, 0});
    };
    CHECK(costs(200)[0] < costs(200)[1]);
    CHECK(costs(201)[0] == core::no_way);
    CHECK(costs(201)[1] != core::no_way);
    ledger.claim_gpus(ServerId{0}, {core::bit(1), 700});
    CHECK(costs(300)[0] != core::no_way);
    CHECK(costs(300)[1] == core::no_way);
}
