#include <catch2/catch.hpp>
#include <set>

#include "core/gpu_shares/gpu_request.hpp"
#include "core/gpu_sharing/gpu_policy.hpp"
#include "tests/support/dice.hpp"
#include "tests/support/gpu_cluster.hpp"

using namespace berth;
using core::GpuMilli;
using core::GpuPod;
using core::GpuServer;

namespace berth::core {
std::unique_ptr<GpuPolicy> make_emptiest_gpus(const GpuPolicyContext&);  // docs/examples
}

namespace {

core::TypicalPods typical_pods() {
    core::TypicalPodCounter counter;
    counter.add(4000, {500, 1, {}});
    counter.add(4000, {500, 1, {}});
    counter.add(8000, {1000, 1, {}});
    counter.add(16000, {1000, 4, {}});
    return counter.typical(100);
}

/// One server of 64 CPUs and up to eight GPUs, and all policies for it.
struct Bench {
    std::unique_ptr<core::GpuPolicy> policy(std::string_view name) {
        const auto entry =
            std::ranges::find(core::gpu_policies(), name, &core::GpuPolicyEntry::name);
        REQUIRE(entry != core::gpu_policies().end());
        return entry->make({sets, fragmentation, 1});
    }
    GpuServer server(core::Amount cpu, std::vector<GpuMilli> free, std::uint64_t kinds = 0) {
        held = std::move(free);
        return {cpu, sets.of(held), held, 0, kinds};
    }
    std::int32_t score(std::string_view name, const GpuServer& server, const GpuPod& pod) {
        return policy(name)->score(server, pod);
    }

    core::TypicalPods typical = typical_pods();
    core::GpuSets sets;
    core::GpuModels models{*tests::gpu_cluster({{"a", 64000, 1, 8, "A"}})};
    core::Fragmentation fragmentation{typical, sets, models};
    std::vector<GpuMilli> held;
};

constexpr GpuPod share(GpuMilli milli, core::Amount cpu = 4000) {
    return {cpu, milli, 1, static_cast<std::uint32_t>(milli)};
}
constexpr GpuPod whole(std::uint32_t count, core::Amount cpu = 4000) {
    return {cpu, 1000, count, 1000 + count};
}

}  // namespace

TEST_CASE("gpu policies: every one keeps the contract", "[core][gpu-sharing]") {
    for (const core::GpuPolicyEntry& entry : core::gpu_policies()) {
        CAPTURE(entry.name);
        Bench bench;
        const auto policy = entry.make({bench.sets, bench.fragmentation, 1});
        tests::Dice dice(11);
        for (int i = 0; i < 2000; ++i) {
            std::vector<GpuMilli> free;
            for (int device = 0; device < 8; ++device) {
                free.push_back(dice.chance(50) ? 1000 : static_cast<GpuMilli>(dice.roll(0, 999)));
            }
            const GpuServer server = bench.server(
                dice.roll(0, 200'000), free, static_cast<std::uint64_t>(dice.roll(0, 511)));
            const core::Amount cpu = dice.roll(0, server.cpu_free);
            const std::int64_t most = bench.sets.whole(server.set);
            GpuPod pod{cpu, 0, 0, 0};
            if (dice.chance(40)) {
                const auto milli =
                    static_cast<GpuMilli>(dice.roll(0, *std::ranges::max_element(free)));
                pod = milli > 0 && milli < 1000
                          ? GpuPod{cpu, milli, 1, static_cast<std::uint32_t>(milli)}
                          : pod;
            } else if (most > 0) {
                const auto count = static_cast<std::uint32_t>(dice.roll(1, most));
                pod = {cpu, 1000, count, 1000 + count};
            }
            const std::int32_t score = policy->score(server, pod);
            REQUIRE(score >= 0);
            REQUIRE(score <= 100);
            REQUIRE(score == policy->score(server, pod));
            const bool within = server.cpu_free <= 128'000;  // all have at most 8 GPUs
            const std::int32_t beyond = policy->beyond(server, pod);
            REQUIRE((!within || beyond == 0));
            REQUIRE(beyond < core::GpuPolicy::beyond_steps);
            REQUIRE(beyond >= (score == 0 ? core::GpuPolicy::beyond_lowest
                                          : 1 - core::GpuPolicy::beyond_steps));
            if (pod.is_share()) {
                const std::size_t device = policy->device(server, pod);
                REQUIRE(device < free.size());
                REQUIRE(free[device] >= pod.milli);
            }
            if (policy->draws_server()) {
                REQUIRE(policy->draw(3) < 3);
            }
        }
    }
}

TEST_CASE("gpu policies: dot-product, by hand", "[core][gpu-sharing]") {
    // (64/128 * 4/128 + 2000/8000 * 500/8000) / 2 = (1/64 + 1/64) / 2: 100 - 1.5625, truncated.
    Bench bench;
    CHECK(bench.score("dot-product", bench.server(64000, {1000, 1000}), share(500)) == 98);
    CHECK(bench.score("dot-product", bench.server(0, {0}), {0, 0, 0, 0}) == 100);
}

TEST_CASE("gpu policies: best-fit, by hand", "[core][gpu-sharing]") {
    // 60 of 128 CPUs and 1500 of 8000 milli are left over: 1 - (0.234375 + 0.09375) = 0.671875.
    Bench bench;
    CHECK(bench.score("best-fit", bench.server(64000, {1000, 1000}), share(500)) == 67);
}

TEST_CASE("gpu policies: order survives on servers larger than the reference",
          "[core][gpu-sharing]") {
    // A server with 16 free GPUs has fewer and fewer free CPUs: the fuller it is, the better.
    for (const char* policy : {"best-fit", "dot-product"}) {
        CAPTURE(policy);
        Bench bench;
        std::pair<std::int32_t, std::int32_t> last{-1, INT32_MIN};
        std::set<std::pair<std::int32_t, std::int32_t>> all;
        for (const core::Amount cpu : {1024'000, 768'000, 512'000, 384'000, 256'000, 160'000}) {
            const GpuServer server = bench.server(cpu, std::vector<GpuMilli>(16, 1000));
            const GpuPod pod = whole(8, 128'000);
            const std::pair rank{bench.score(policy, server, pod),
                                 bench.policy(policy)->beyond(server, pod)};
            CHECK(rank >= last);
            last = rank;
            all.insert(rank);
        }
        CHECK(all.size() == 6);
    }
    // Among servers with more free GPUs than the reference, the one with fewer is better.
    for (const char* policy : {"gpu-clustering", "gpu-packing"}) {
        CAPTURE(policy);
        Bench bench;
        std::pair<std::int32_t, std::int32_t> last{-1, INT32_MIN};
        for (const std::size_t gpus : {60U, 48U, 40U, 32U, 17U, 9U}) {
            const GpuServer server = bench.server(1, std::vector<GpuMilli>(gpus, 1000));
            const std::pair rank{bench.score(policy, server, whole(1)),
                                 bench.policy(policy)->beyond(server, whole(1))};
            CHECK(rank > last);
            last = rank;
        }
    }
}

TEST_CASE("gpu policies: a server whose CPUs are over-committed from outside has a score",
          "[core][gpu-sharing]") {
    // On servers with more in use than they have, a pod that asks for no CPU leaves less over the
    // fuller the server is.
    for (const core::GpuPolicyEntry& entry : core::gpu_policies()) {
        CAPTURE(entry.name);
        Bench bench;
        std::pair<std::int32_t, std::int32_t> last{-1, INT32_MIN};
        for (const core::Amount cpu : {64'000, -64'000, -128'000, -1'000'000'000}) {
            const GpuServer server = bench.server(cpu, {1000, 1000});
            const std::pair rank{bench.score(entry.name, server, share(1000, 0)),
                                 bench.policy(entry.name)->beyond(server, share(1000, 0))};
            CHECK(rank.first >= 0);
            CHECK(rank.first <= 100);
            CHECK(rank.second < core::GpuPolicy::beyond_steps);
            CHECK((entry.name != "best-fit" || rank > last));
            last = rank;
        }
    }
}

TEST_CASE("gpu policies: gpu-clustering's classes stay apart on larger servers",
          "[core][gpu-sharing]") {
    Bench bench;
    const std::uint64_t shares = core::bit(core::gpu_kind(500, 1));
    const auto rank = [&](std::size_t gpus, GpuMilli free, std::uint64_t kinds) {
        const GpuServer server = bench.server(1, std::vector<GpuMilli>(gpus, free), kinds);
        return std::pair(bench.score("gpu-clustering", server, share(500)),
                         bench.policy("gpu-clustering")->beyond(server, share(500)));
    };
    // A server with pods of its own kind, even the emptiest one of 60 GPUs, comes before an empty
    // server of one GPU.
    CHECK(rank(60, 1000, shares) > rank(1, 1000, 0));
    CHECK(rank(60, 1000, 0) > rank(1, 500, core::bit(core::gpu_kind(1000, 2))));
}

TEST_CASE("gpu policies: FGD tells differences of more than 8 GPUs apart", "[core][gpu-sharing]") {
    core::TypicalPodCounter counter;
    counter.add(1000, {1000, 32, {}});
    const core::TypicalPods typical = counter.typical(100);
    core::GpuSets sets;
    const core::GpuModels models{*tests::gpu_cluster({{"a", 64000, 1, 48, "A"}})};
    core::Fragmentation fragmentation{typical, sets, models};
    const auto entry = std::ranges::find(
        core::gpu_policies(), "fragmentation-gradient-descent", &core::GpuPolicyEntry::name);
    const auto policy = entry->make({sets, fragmentation, 1});
    // The typical pod asks for 32 GPUs, so whatever another pod leaves of 32 free GPUs is a
    // fragment.
    const std::vector<GpuMilli> free(32, 1000);
    const GpuServer server{64000, sets.of(free), free, 0, 0};
    CHECK(policy->score(server, whole(1)) == 0);
    CHECK(policy->score(server, whole(8)) == 0);
    CHECK(policy->beyond(server, whole(1)) == -184);  // (31000 - 8000) / 125
    CHECK(policy->beyond(server, whole(8)) == -128);
}

TEST_CASE("gpu policies: gpu-clustering seeks its own kind, then an empty server",
          "[core][gpu-sharing]") {
    // 3000 of 8000 are in use: base 25 * 3000 / 8000 = 9.
    Bench bench;
    const std::vector<GpuMilli> free{1000, 1000, 1000, 1000, 1000};
    const std::uint64_t shares = core::bit(core::gpu_kind(500, 1));
    const std::uint64_t twos = core::bit(core::gpu_kind(1000, 2));
    CHECK(bench.score("gpu-clustering", bench.server(1, free, shares), share(500)) == 84);
    CHECK(bench.score("gpu-clustering", bench.server(1, free, shares | twos), share(500)) == 59);
    CHECK(bench.score("gpu-clustering", bench.server(1, free, 0), share(500)) == 34);
    CHECK(bench.score("gpu-clustering", bench.server(1, free, twos), share(500)) == 9);
    CHECK(bench.score("gpu-clustering", bench.server(1, free, shares), whole(2)) == 9);
    CHECK(bench.score("gpu-clustering", bench.server(1, free, shares), {4000, 0, 0, 0}) == 0);
}

TEST_CASE("gpu policies: gpu-packing prefers devices in use, then servers in use",
          "[core][gpu-sharing]") {
    Bench bench;
    // A device with 600 free scores 100 - 60 / 10, an idle device of a server in use 50 - 1, and a
    // device of a wholly idle server 33 - 3.
    CHECK(bench.score("gpu-packing", bench.server(1, {600, 1000}), share(500)) == 94);
    CHECK(bench.score("gpu-packing", bench.server(1, {400, 1000}), share(500)) == 49);
    CHECK(bench.score("gpu-packing", bench.server(1, {1000, 1000, 1000}), share(500)) == 30);
    CHECK(bench.score("gpu-packing", bench.server(1, {0, 1000, 1000}), whole(2)) == 48);
}

TEST_CASE("gpu policies: FGD takes the device that leaves the least fragment",
          "[core][gpu-sharing]") {
    // Half of the typical pods ask for 500 milli. On {1000, 500} a pod of 500 leaves {500, 500} or
    // {1000, 0}. That half can use all of either; the quarter that asks for a whole GPU can use
    // only the second.
    Bench bench;
    const GpuServer server = bench.server(64000, {1000, 500});
    const auto policy = bench.policy("fragmentation-gradient-descent");
    CHECK(policy->device(server, share(500)) == 1);
    // A pod of 800 fits on the first device alone, and leaves 200 that no typical pod can use.
    CHECK(policy->device(server, share(800)) == 0);
    CHECK(policy->score(server, share(500)) > policy->score(server, share(800)));
}

TEST_CASE("gpu policies: the README's example does what it says", "[core][gpu-sharing]") {
    Bench bench;
    const auto policy = core::make_emptiest_gpus({bench.sets, bench.fragmentation, 1});
    const GpuServer server = bench.server(64000, {700, 600, 900, 600});
    CHECK(policy->score(server, share(500)) == 70);
    CHECK(policy->device(server, share(500)) == 2);
}

TEST_CASE("gpu policies: a share goes to the device with the least free, unless drawn",
          "[core][gpu-sharing]") {
    Bench bench;
    const GpuServer server = bench.server(64000, {700, 600, 900, 600});
    CHECK(bench.policy("best-fit")->device(server, share(500)) == 1);
    CHECK(bench.policy("best-fit")->device(server, share(650)) == 0);
    std::set<std::size_t> drawn;
    const auto random = bench.policy("random");
    for (int i = 0; i < 200; ++i) {
        drawn.insert(random->device(server, share(650)));
    }
    CHECK(drawn == std::set<std::size_t>{0, 2});
}
