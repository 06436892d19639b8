#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "core/defrag/exact_moves.hpp"
#include "core/defrag/filling.hpp"
#include "core/defrag/greedy_moves.hpp"
#include "core/defrag/plan_moves.hpp"
#include "core/defrag/relocation.hpp"
#include "core/defrag/room_state.hpp"
#include "tests/unit/core/brute_force_moves.hpp"

using namespace berth::tests;
using Kind = RoomGoal::Kind;

namespace {

class Draw {
public:
    explicit Draw(std::uint32_t seed) : random_(seed) {}
    std::int64_t operator()(std::int64_t least, std::int64_t most) {
        return least +
               static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(most - least + 1));
    }

private:
    std::mt19937 random_;
};

/// 2 to 6 servers, pods of 1 to 6 GPUs on them, of which one in eight may not move and one in four
/// may not go everywhere; some pods are of one job. One of the three goals.
MoveProblem drawn(std::uint32_t seed) {
    Draw draw(seed);
    const auto servers = static_cast<std::uint32_t>(draw(2, 6));
    MoveProblem problem = cluster(servers);
    problem.allowed.emplace_back(servers, true);
    for (std::uint32_t i = 0; i < servers; ++i) {
        problem.allowed[1][i] = draw(0, 1) == 0;
    }
    const std::int64_t wanted = draw(servers, 7);
    for (std::int64_t i = 0; i < wanted; ++i) {
        const Amount gpus = draw(1, 6);
        if (!put(problem,
                 static_cast<std::uint32_t>(draw(0, servers - 1)),
                 gpus + draw(0, 4),
                 gpus,
                 draw(0, 9))) {
            continue;
        }
        problem.pods.back().movable = draw(0, 9) != 0;
        problem.pods.back().allowed = draw(0, 3) == 0 ? 1 : 0;
        if (problem.pods.size() > 1 && draw(0, 5) == 0) {
            MovablePod& pod = problem.pods.back();
            pod.job = problem.pods[problem.pods.size() - 2].job;
            ++problem.jobs[pod.job].pods;
        }
    }
    // Room outside of this run, which no move frees.
    for (std::uint32_t i = 0; i < servers; ++i) {
        problem.free[i * std::size_t{2} + 1] -=
            draw(0, 3) == 0 && problem.free[i * 2 + 1] > 2 ? 2 : 0;
    }
    const auto kind = static_cast<Kind>(draw(0, 2));
    const Amount gpus = draw(3, 8);
    ask_for(problem, kind, draw(1, kind == Kind::whole ? 3 : 4), gpus, gpus);
    problem.goal.moves_max = kind == Kind::most ? draw(1, 4) : 0;
    if (kind == Kind::whole || draw(0, 3) == 0) {
        by_server(problem);
    }
    return problem;
}

/// Carries a plan out with checks of its own, and returns what it costs.
void check_that_moves_are_possible(const MoveProblem& problem, const MovePlan& plan) {
    std::vector<Amount> free = problem.free;
    std::vector<std::uint32_t> at;
    for (const MovablePod& pod : problem.pods) {
        at.push_back(pod.server);
    }
    for (const PodMove& move : plan.moves) {
        const MovablePod& pod = problem.pods[move.pod];
        REQUIRE(pod.movable);
        REQUIRE(at[move.pod] == move.from);
        REQUIRE(problem.allowed[pod.allowed][move.to]);
        for (std::size_t r = 0; r < 2; ++r) {
            REQUIRE(free[move.to * std::size_t{2} + r] >= pod.shape.demand[r]);
            free[move.to * std::size_t{2} + r] -= pod.shape.demand[r];
            free[move.from * std::size_t{2} + r] += pod.shape.demand[r];
        }
        at[move.pod] = move.to;
    }
}

}  // namespace

TEST_CASE("defrag: on small clusters, the exact plan is that of brute force", "[core][defrag]") {
    constexpr std::uint32_t clusters = 1000;
    std::uint32_t with_plan = 0;
    std::uint32_t greedy_missed = 0;
    double greedy_over_exact = 0;
    for (std::uint32_t seed = 1; seed <= clusters; ++seed) {
        CAPTURE(seed);
        const MoveProblem problem = drawn(seed);
        const BruteForce::Result brute = BruteForce(problem).run();
        const MovePlan plan = plan_moves(problem, {.states_max = UINT32_MAX});
        REQUIRE(plan.best);
        check_that_moves_are_possible(problem, plan);
        const MovePlan quick = plan_moves(problem, {.states_max = 0});
        check_that_moves_are_possible(problem, quick);
        if (problem.goal.kind == Kind::most) {
            REQUIRE(plan.has == brute.value);
            REQUIRE(plan.cost == *brute.cost);
            const bool gains = brute.value > plan.had;
            with_plan += gains ? 1 : 0;
            greedy_missed += gains && !quick.reached ? 1 : 0;
            greedy_over_exact += gains && quick.reached
                                     ? static_cast<double>(plan.has - plan.had) /
                                           static_cast<double>(quick.has - quick.had)
                                     : 0;
            REQUIRE(quick.bound_has >= plan.has);
            continue;
        }
        REQUIRE(plan.reached == brute.cost.has_value());
        if (!plan.reached) {
            REQUIRE_FALSE(quick.reached);
            continue;
        }
        REQUIRE(plan.cost == *brute.cost);
        REQUIRE(*quick.bound <= plan.cost);
        if (plan.moves.empty()) {
            continue;
        }
        ++with_plan;
        greedy_missed += quick.reached ? 0 : 1;
        // A plan that loses nothing is compared by its moves.
        const auto loss = [&](const MovePlan& one) {
            return static_cast<double>(plan.cost.first > 0 ? one.cost.first : one.cost.second);
        };
        greedy_over_exact += quick.reached ? loss(quick) / loss(plan) : 0;
    }
    const double mean = greedy_over_exact / (with_plan - greedy_missed);
    INFO("plans " << with_plan << ", greedy missed " << greedy_missed << ", ratio " << mean);
    CHECK(with_plan >= clusters / 4);
    CHECK(mean <= 1.1);
    CHECK(greedy_missed * 10 <= with_plan);  // these need more than two pods to make room for one
}

TEST_CASE("defrag: where nothing has room, it is asked once for pods of a kind", "[core][defrag]") {
    const auto questions = [](std::uint32_t servers) {
        MoveProblem problem = cluster(servers);
        for (std::uint32_t i = 0; i < servers; ++i) {
            for (Amount gpus : {1, 2, 2, 3}) {
                REQUIRE(put(problem, i, 1, gpus, 1));
            }
        }
        ask_for(problem, Kind::most, 1, 1, 8);
        problem.goal.moves_max = 10;
        RoomState state(problem);
        Relocation relocation(state);
        std::vector<std::uint32_t> all(servers);
        std::iota(all.begin(), all.end(), 0U);
        CHECK_FALSE(Filling(state, relocation, all).run(std::nullopt, std::nullopt));
        return state.questions();
    };
    const std::uint64_t few = questions(100);
    const std::uint64_t many = questions(400);
    CHECK(few > 100);
    CHECK(many <= 5 * few);
    CHECK(many <= 10 * 400);
}

TEST_CASE("defrag: a search ends at its limits", "[core][defrag]") {
    MoveProblem problem = cluster(6);
    for (std::uint32_t i = 0; i < 6; ++i) {
        REQUIRE(put(problem, i, 1, 3, 1));
        REQUIRE(put(problem, i, 1, 2, 1));
    }
    ask_for(problem, Kind::copies, 3, 1, 8);
    const MovePlan ten = plan_moves(problem, {.states_max = 10});
    CHECK(ten.states >= 10);
    CHECK(ten.states < 100);
    CHECK_FALSE(ten.best);
    const std::atomic<bool> stop = true;
    const MovePlan none = plan_moves(problem, {.stop = &stop});
    CHECK(none.states == 0);
    CHECK_FALSE(none.best);
}

TEST_CASE("defrag: the order of moves makes room for each", "[core][defrag]") {
    // 6 GPUs are asked for. The pod of 4 only fits where the pod of 2 is, which goes first.
    MoveProblem problem = cluster(3);
    REQUIRE(put(problem, 0, 1, 4, 1));
    REQUIRE(put(problem, 1, 1, 2, 1));
    REQUIRE(put(problem, 1, 1, 4, 1));
    problem.pods[2].movable = false;
    REQUIRE(put(problem, 2, 1, 6, 1));
    problem.pods[3].movable = false;
    ask_for(problem, Kind::copies, 1, 1, 6);
    for (const std::uint64_t states : {std::uint64_t{0}, SearchLimits{}.states_max}) {
        const MovePlan plan = plan_moves(problem, {states});
        REQUIRE(plan.reached);
        REQUIRE(plan.moves.size() == 2);
        CHECK(plan.moves[0].pod == 1);
        CHECK(plan.moves[0].to == 2);
        CHECK(plan.moves[1].pod == 0);
        CHECK(plan.moves[1].to == 1);
        check_that_moves_are_possible(problem, plan);
    }
}

TEST_CASE("defrag: two pods do not swap places without a third one", "[core][defrag]") {
    // Each pod may run on two servers alone, and the servers are full.
    MoveProblem problem = cluster(2);
    REQUIRE(put(problem, 0, 1, 8, 1));
    REQUIRE(put(problem, 1, 1, 8, 1));
    ask_for(problem, Kind::copies, 1, 1, 8);
    problem.goal.servers = {true, false};
    const MovePlan plan = plan_moves(problem, {});
    CHECK_FALSE(plan.reached);
    CHECK(plan.best);
    CHECK(plan.moves.empty());
}

TEST_CASE("defrag: pods of a job lose their work once", "[core][defrag]") {
    MoveProblem problem = cluster(3);
    REQUIRE(put(problem, 0, 1, 2, 10));
    REQUIRE(put(problem, 0, 1, 2, 0));
    problem.pods[1].job = 0;
    problem.jobs[0].pods = 2;
    REQUIRE(put(problem, 1, 1, 4, 15));
    REQUIRE(put(problem, 2, 1, 4, 99));
    ask_for(problem, Kind::copies, 1, 1, 8);
    const MovePlan plan = plan_moves(problem, {});
    REQUIRE(plan.reached);
    CHECK(plan.cost == MoveCost{10, 2});
    CHECK(plan.best);
}

TEST_CASE("defrag: a plan stays within disruption budgets", "[core][defrag]") {
    MoveProblem problem = cluster(3);
    REQUIRE(put(problem, 0, 1, 2, 1));
    REQUIRE(put(problem, 0, 1, 2, 1));
    REQUIRE(put(problem, 1, 1, 4, 50));
    REQUIRE(put(problem, 2, 1, 4, 99));
    problem.budgets = {1};
    problem.pods[0].budgets = {0};
    problem.pods[1].budgets = {0};
    ask_for(problem, Kind::copies, 1, 1, 8);
    for (const std::uint64_t states : {std::uint64_t{0}, SearchLimits{}.states_max}) {
        CHECK(plan_moves(problem, {states}).cost == MoveCost{50, 1});
    }
    problem.budgets = {2};
    CHECK(plan_moves(problem, {}).cost == MoveCost{2, 2});
}

TEST_CASE("defrag: where GPUs are shared, whole devices become free", "[core][defrag]") {
    // Each of two servers has two devices with 300 and 400 thousandths in use.
    MoveProblem problem = cluster(2);
    for (std::uint32_t server = 0; server < 2; ++server) {
        problem.free[server * std::size_t{2} + 1] = 1300;
        problem.gpus.push_back({700, 600});
        for (std::uint32_t device = 0; device < 2; ++device) {
            MovablePod pod;
            const GpuMilli milli = device == 0 ? 300 : 400;
            pod.shape = {{1, milli}, milli, 1};
            pod.server = server;
            pod.gpus = {std::uint64_t{1} << device, milli};
            pod.job = static_cast<std::uint32_t>(problem.jobs.size());
            problem.jobs.push_back({milli, 0, 1});
            problem.pods.push_back(pod);
        }
    }
    ask_for(problem, Kind::copies, 1, 1, 1000);
    problem.goal.shape.gpu_milli = 1000;
    problem.goal.shape.gpu_count = 1;
    const MovePlan plan = plan_moves(problem, {});
    REQUIRE(plan.reached);
    REQUIRE(plan.moves.size() == 1);
    CHECK(plan.cost == MoveCost{300, 1});
    CHECK(plan.moves[0].gpus.devices == 2);  // the device with the least free that has room
    ask_for(problem, Kind::most, 1, 1, 1000);
    problem.goal.moves_max = 4;
    CHECK(plan_moves(problem, {}).has == 2);
}

namespace {

/// Servers with two shared devices each, on which pods hold parts that were drawn.
MoveProblem shared_devices(std::uint32_t seed) {
    constexpr std::uint32_t servers = 6;
    constexpr std::uint32_t devices = 2;
    Draw draw(seed);
    MoveProblem problem = cluster(servers);
    problem.gpus.assign(servers, std::vector<GpuMilli>(devices, gpu_whole_milli));
    for (std::uint32_t server = 0; server < servers; ++server) {
        problem.free[server * std::size_t{2}] = 1000;
        problem.free[server * std::size_t{2} + 1] = devices * gpu_whole_milli;
    }
    for (std::uint32_t i = 0; i < 14; ++i) {
        const auto milli = static_cast<GpuMilli>(100 * draw(1, 6));
        const auto server = static_cast<std::uint32_t>(draw(0, servers - 1));
        const auto device = static_cast<std::uint32_t>(draw(0, devices - 1));
        if (problem.gpus[server][device] < milli) {
            continue;
        }
        problem.gpus[server][device] -= milli;
        problem.free[server * std::size_t{2} + 1] -= milli;
        MovablePod pod;
        pod.shape = {{0, milli}, milli, 1};
        pod.server = server;
        pod.gpus = {std::uint64_t{1} << device, milli};
        pod.job = static_cast<std::uint32_t>(problem.jobs.size());
        problem.jobs.push_back({draw(0, 49), 0, 1});
        problem.pods.push_back(pod);
    }
    ask_for(problem, Kind::most, 1, 0, gpu_whole_milli);
    problem.goal.shape.gpu_milli = gpu_whole_milli;
    problem.goal.shape.gpu_count = 1;
    problem.goal.moves_max = 8;
    return problem;
}

}  // namespace

TEST_CASE("defrag: moves that are left say which devices they get", "[core][defrag]") {
    std::size_t moves = 0;
    for (std::uint32_t seed = 1; seed <= 400; ++seed) {
        CAPTURE(seed);
        const MoveProblem problem = shared_devices(seed);
        RoomState state(problem);
        const auto plan = greedy_moves(state);
        REQUIRE(plan);
        for (const PodMove& move : *plan) {
            CAPTURE(++moves, move.pod, move.to);
            REQUIRE(state.server_of(move.pod) == move.from);
            state.move(move.pod, move.to);
            REQUIRE(state.moves().back().gpus.devices == move.gpus.devices);
        }
    }
    CHECK(moves > 400);
}
