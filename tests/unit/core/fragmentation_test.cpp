#include <algorithm>
#include <numeric>

#include <catch2/catch.hpp>

#include "core/gpu_shares/gpu_sets.hpp"
#include "core/gpu_sharing/fragmentation.hpp"
#include "core/gpu_sharing/typical_pods.hpp"
#include "tests/support/dice.hpp"
#include "tests/support/gpu_cluster.hpp"

using namespace berth;
using core::FragmentClass;
using core::GpuMilli;
using core::GpuRequest;

namespace {

/// Eight pods: half ask for 4 CPUs and 500 milli, a quarter for 8 CPUs and a GPU, an eighth for 2
/// CPUs alone, an eighth for 4 CPUs and two GPUs of model B or C.
core::TypicalPods eight_pods() {
    core::TypicalPodCounter counter;
    for (int i = 0; i < 4; ++i) {
        counter.add(4000, GpuRequest{500, 1, {}});
    }
    counter.add(8000, GpuRequest{1000, 1, {}});
    counter.add(8000, GpuRequest{1000, 1, {}});
    counter.add(2000, GpuRequest{});
    counter.add(4000, GpuRequest{1000, 2, {"B", "C"}});
    return counter.typical(100);
}

}  // namespace

TEST_CASE("typical pods: the most frequent first, equal ones by descending request",
          "[core][fragmentation]") {
    const core::TypicalPods typical = eight_pods();
    REQUIRE(typical.pods.size() == 4);
    CHECK(typical.pods[0].gpus.milli == 500);
    CHECK(typical.pods[1].cpu_milli == 8000);
    CHECK(typical.pods[2].cpu_milli == 4000);  // before 2000
    CHECK(typical.pods[3].gpus.count == 0);
    CHECK(typical.pods[0].weight == 0.5);
    CHECK(typical.count == 8);
}

TEST_CASE("typical pods: rare ones are left out, and the weights' sum is 1 again",
          "[core][fragmentation]") {
    core::TypicalPodCounter counter;
    for (int i = 0; i < 19; ++i) {
        counter.add(1000 * (i % 2), GpuRequest{1000, 1, {}});
    }
    counter.add(64000, GpuRequest{1000, 8, {}});
    // The two most frequent kinds are 10 and 9 of the 20 pods; together they are 19 of 20, which is
    // 95 %.
    const core::TypicalPods typical = counter.typical();
    REQUIRE(typical.pods.size() == 2);
    CHECK(typical.count == 19);
    CHECK(typical.pods[0].weight == Approx(10.0 / 19));
    CHECK(typical.pods[1].weight == Approx(9.0 / 19));
}

TEST_CASE("fragmentation: by hand", "[core][fragmentation]") {
    const core::TypicalPods typical = eight_pods();
    core::GpuSets sets;
    const auto tree = tests::gpu_cluster({{"a", 16000, 1, 2, "A"}, {"b", 16000, 1, 2, "B"}});
    const core::GpuModels models(*tree);
    core::Fragmentation fragmentation(typical, sets, models);
    using Row = std::tuple<std::string,
                           core::Amount,
                           std::vector<GpuMilli>,
                           std::uint32_t,
                           core::ByFragmentClass<double>>;
    // Classes: q1, q2, q3, q4, xl, xr, no access.
    const auto [what, cpu, free, model, expected] = GENERATE(table<std::string,
                                                                   core::Amount,
                                                                   std::vector<GpuMilli>,
                                                                   std::uint32_t,
                                                                   core::ByFragmentClass<double>>({
        // 1300 are free. For the half, 300 are too little and 1000 are usable; the same holds for
        // the quarter. The pods that ask for CPUs alone can use none of it. The last eighth does
        // not accept A.
        Row{"enough CPU",
            10000,
            {300, 1000},
            0,
            {0, 0.5 * 300 + 0.25 * 300, 0.75 * 1000, 0, 0.125 * 1300, 0, 0.125 * 1300}},
        // 3 CPUs satisfy only the pod without GPUs.
        Row{"too little CPU", 3000, {1000, 1000}, 1, {0, 0, 0, 0.875 * 2000, 0.125 * 2000, 0, 0}},
        Row{"too little of both",
            1000,
            {400, 0},
            0,
            {0.75 * 400, 0, 0, 0, 0, 0.125 * 400, 0.125 * 400}},
        // The free GPUs suffice for the half and for the quarter, but not for the pod that asks for
        // two whole ones.
        Row{"one whole GPU for two",
            16000,
            {500, 1000},
            1,
            {0, 0.25 * 500 + 0.125 * 1500, 0.5 * 1500 + 0.25 * 1000, 0, 0.125 * 1500, 0, 0}},
        Row{"nothing free", 16000, {0, 0}, 1, {0, 0, 0, 0, 0, 0, 0}},
    }));
    CAPTURE(what);
    const core::GpuSetId set = sets.of(free);
    const std::uint32_t rank = fragmentation.cpu_rank(cpu);
    const auto classes = fragmentation.by_class(set, rank, model);
    const auto counted = fragmentation.counted_by_class(set, rank, model);
    double fragment = 0;
    for (std::size_t part = 0; part < classes.size(); ++part) {
        CAPTURE(part);
        CHECK(classes[part] == Approx(expected[part]));
        CHECK(static_cast<double>(counted[part]) == Approx(8 * expected[part]));
        fragment +=
            part == static_cast<std::size_t>(FragmentClass::q3_satisfied) ? 0 : expected[part];
    }
    CHECK(fragmentation.fragment(set, rank, model) == Approx(fragment));
    CHECK(fragmentation.fragment(set, rank, model) == Approx(fragment));  // remembered
}

TEST_CASE("fragmentation: a CPU's rank is how many typical requests are within it",
          "[core][fragmentation]") {
    core::TypicalPodCounter counter;
    tests::Dice dice(3);
    std::vector<core::Amount> requests{0};
    counter.add(0, GpuRequest{});
    for (int i = 0; i < 40; ++i) {
        requests.push_back(dice.roll(1, 70'000));
        counter.add(requests.back(), GpuRequest{});
    }
    std::ranges::sort(requests);
    requests.erase(std::unique(requests.begin(), requests.end()), requests.end());
    core::GpuSets sets;
    const core::GpuModels models(*tests::gpu_cluster({{"a", 1, 1, 1, "A"}}));
    const core::TypicalPods typical = counter.typical(100);
    const core::Fragmentation fragmentation(typical, sets, models);
    for (int i = 0; i < 2000; ++i) {
        const core::Amount cpu = i % 2 == 0
                                     ? dice.roll(-10, 90'000)
                                     : requests[static_cast<std::size_t>(dice.roll(
                                           0, static_cast<std::int64_t>(requests.size()) - 1))];
        REQUIRE(fragmentation.cpu_rank(cpu) ==
                std::ranges::count_if(requests, [&](core::Amount own) { return own <= cpu; }));
    }
}

TEST_CASE("gpu sets: the order of the devices does not matter, what is taken does",
          "[core][fragmentation]") {
    core::GpuSets sets;
    tests::Dice dice(7);
    for (int i = 0; i < 3000; ++i) {
        std::vector<GpuMilli> free;
        for (std::int64_t device = dice.roll(1, 8); device > 0; --device) {
            free.push_back(dice.chance(40) ? 1000 : static_cast<GpuMilli>(dice.roll(0, 1000)));
        }
        const core::GpuSetId set = sets.of(free);
        REQUIRE(sets.total(set) == std::accumulate(free.begin(), free.end(), 0));
        REQUIRE(sets.whole(set) == std::ranges::count(free, 1000));
        const auto at =
            static_cast<std::size_t>(dice.roll(0, static_cast<std::int64_t>(free.size()) - 1));
        const auto milli = static_cast<GpuMilli>(dice.roll(0, free[at]));
        const core::GpuSetId after = sets.after_share(set, free[at], milli);
        std::vector<GpuMilli> other = free;
        other[at] -= milli;
        std::ranges::reverse(other);
        REQUIRE(sets.of(other) == after);
        const auto count = static_cast<std::size_t>(dice.roll(0, sets.whole(set)));
        std::vector<GpuMilli> taken = free;
        std::size_t left = count;
        for (GpuMilli& share : taken) {
            if (share == 1000 && left > 0) {
                share = 0;
                --left;
            }
        }
        REQUIRE(sets.after_whole(set, count) == sets.of(taken));
        REQUIRE(std::ranges::is_sorted(sets.free(after)));
    }
}
