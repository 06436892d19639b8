// What plans say about the GPUs of a server, compared with really taking them.

#include <catch2/catch.hpp>
#include <memory>
#include <vector>

#include "core/gpu_shares/gpu_shares.hpp"
#include "tests/support/dice.hpp"
#include "tests/support/gpu_cluster.hpp"

using namespace berth;
using core::GpuGrant;
using core::GpuShares;
using core::ServerId;

namespace {

constexpr core::GpuMilli whole = 1000;

std::shared_ptr<const core::Topology> two_servers() {
    return tests::gpu_cluster({{"small", 64000, 4096, 2, "A"}, {"large", 64000, 4096, 4, "A"}}, 2);
}

/// Draws a share of one device or several whole devices.
GpuGrant drawn(tests::Dice& dice, std::int64_t devices) {
    if (dice.chance(50)) {
        const auto device = static_cast<std::uint32_t>(dice.roll(0, devices - 1));
        return {core::DeviceMask{1} << device, static_cast<core::GpuMilli>(dice.roll(1, 9) * 100)};
    }
    return {static_cast<core::DeviceMask>(dice.roll(1, (1 << devices) - 1)), whole};
}

}  // namespace

TEST_CASE("gpu shares: what a plan puts in and takes out is what taking and giving back does",
          "[core][gpu]") {
    const auto tree = two_servers();
    for (const std::uint32_t server : {0U, 1U}) {
        tests::Dice dice(7 + server);
        GpuShares shares(*tree);
        std::vector<GpuGrant> there;
        std::size_t refused = 0;
        for (int step = 0; step < 3000; ++step) {
            GpuShares::Taken planned = shares.taken(ServerId{server});
            if (!there.empty() && dice.chance(45)) {
                const auto leaves = there.begin() + static_cast<std::ptrdiff_t>(
                                                        dice.roll(0, std::ssize(there) - 1));
                shares.take_out(planned, *leaves);
                shares.give_back(ServerId{server}, *leaves);
                there.erase(leaves);
            } else {
                const GpuGrant grant = drawn(dice, server == 0 ? 2 : 4);
                if (!GpuShares::is_free(planned, grant)) {
                    ++refused;
                    continue;
                }
                shares.put_in(planned, grant);
                shares.take(ServerId{server}, grant);
                there.push_back(grant);
            }
            REQUIRE(planned == shares.taken(ServerId{server}));
        }
        CHECK(refused > 100);
    }
}

TEST_CASE("gpu shares: a server that is shown what is taken is like the one that has it",
          "[core][gpu]") {
    const auto tree = two_servers();
    const ServerId large{1};
    GpuShares real(*tree);
    GpuShares plan = real;
    real.take(large, {0b0011, whole});
    real.take(large, {0b0100, 300});
    real.take(large, {0b0100, 300});
    plan.show(large, real.taken(large));
    CHECK(plan.set(large) == real.set(large));
    CHECK(plan.kinds(large) == real.kinds(large));
    CHECK(plan.taken(large) == real.taken(large));
    CHECK(GpuShares::is_free(plan.taken(large), {0b0100, 400}));
    CHECK_FALSE(GpuShares::is_free(plan.taken(large), {0b0100, 500}));
    // The other server is unchanged, and what was shown can be taken back.
    CHECK(plan.taken(ServerId{0}) == real.taken(ServerId{0}));
    plan.show(large, GpuShares(*tree).taken(large));
    CHECK(plan.kinds(large) == 0);
    CHECK(plan.set(large) == GpuShares(*tree).set(large));
}

TEST_CASE("gpu shares: two that overlap in a plan have no more of a device than there is",
          "[core][gpu]") {
    const auto tree = two_servers();
    const GpuShares shares(*tree);
    GpuShares::Taken taken = shares.taken(ServerId{0});
    shares.put_in(taken, {0b01, 700});
    shares.put_in(taken, {0b01, 700});
    CHECK(taken[0] == whole);
    CHECK(taken[1] == 0);
}
