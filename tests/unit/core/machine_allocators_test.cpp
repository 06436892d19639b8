// The contract of core/machine_allocators/machine_allocator.hpp for every registered allocator on
// random machines, and the layouts of machines compared with a slow computation.

#include <tuple>

#include <catch2/catch.hpp>

#include "tests/support/device_machines.hpp"

using namespace berth;
using core::Amount;
using core::DeviceMask;
using core::Locality;
using core::MachineAllocator;
using core::MachineAnswer;
using core::MachineState;
using tests::DeviceAsk;
using tests::DeviceWay;
using tests::Dice;

namespace {

/// Pods on one server, and what they have taken of each device, in hundredths.
class Server {
public:
    Server(MachineAllocator& allocator, const core::MachineType& type)
        : plain_(type),
          allocator_(allocator),
          gpus_(plain_.gpu_count(), 0),
          nics_(plain_.nic_count(), 0) {}

    struct Held {
        DeviceAsk ask;
        const MachineAnswer* answer;
    };

    void take(const DeviceAsk& ask, const MachineAnswer& answer) {
        add(ask, answer, 1);
        held_.push_back({ask, &answer});
        state_ = answer.after;
    }
    void give_back(std::size_t pod) {
        const MachineAnswer& answer = *held_[pod].answer;
        add(held_[pod].ask, answer, -1);
        const MachineState before = state_;
        state_ = allocator_.without(state_, answer);
        REQUIRE(allocator_.is_free(state_, answer));
        REQUIRE(allocator_.with(state_, answer) == before);
        // Everything that is taken in `state_` is also taken in `before`.
        REQUIRE(allocator_.either(state_, before) == before);
        REQUIRE(allocator_.either(before, state_) == before);
        // What one pod has is not free for another, and taking it again takes nothing away.
        REQUIRE((answer.gpus == 0 || held_[pod].ask.of_each < 100 ||
                 !allocator_.is_free(before, answer)));
        const MachineState twice = allocator_.with(before, answer);
        REQUIRE(allocator_.either(before, twice) == twice);
        held_.erase(held_.begin() + static_cast<std::ptrdiff_t>(pod));
    }

    void check_grant(const DeviceAsk& ask, const MachineAnswer& answer) const {
        REQUIRE(std::popcount(answer.gpus) == ask.gpus);
        REQUIRE(std::popcount(answer.nics) >= ask.nics);
        REQUIRE((ask.more_nics || std::popcount(answer.nics) == ask.nics));
        for (const auto& [mask, taken, more] : {std::tuple(answer.gpus, &gpus_, ask.of_each),
                                                std::tuple(answer.nics, &nics_, ask.of_nic)}) {
            core::for_each_bit(mask, [&](std::size_t device) {
                REQUIRE(device < taken->size());
                REQUIRE((*taken)[device] + more <= 100);
            });
        }
        REQUIRE(answer.score >= 0);
        REQUIRE(answer.score <= core::machine_score_max);
        if (answer.gpus == 0) {
            return;
        }
        const int gpus = std::popcount(answer.gpus);
        const int nics = std::popcount(answer.nics);
        const DeviceMask all = ~DeviceMask{0};
        REQUIRE(answer.reached == plain_.locality(answer.gpus, answer.nics));
        REQUIRE(answer.attainable ==
                plain_.attainable(free_gpus() | answer.gpus, nics_left(), gpus, nics));
        REQUIRE(answer.possible == plain_.attainable(all, all, gpus, nics));
    }
    void check_free() const {
        const MachineAllocator::Free& free = allocator_.free(state_);
        REQUIRE(free.gpus == static_cast<std::size_t>(std::popcount(free_gpus())));
        REQUIRE(free.whole == plain_.whole_free(free_gpus()));
    }

    [[nodiscard]] MachineState state() const { return state_; }
    [[nodiscard]] const std::vector<Held>& held() const { return held_; }

private:
    void add(const DeviceAsk& ask, const MachineAnswer& answer, Amount sign) {
        core::for_each_bit(answer.gpus, [&](std::size_t d) { gpus_[d] += sign * ask.of_each; });
        core::for_each_bit(answer.nics, [&](std::size_t d) { nics_[d] += sign * ask.of_nic; });
    }
    [[nodiscard]] DeviceMask free_gpus() const {
        DeviceMask free = 0;
        for (std::size_t gpu = 0; gpu < gpus_.size(); ++gpu) {
            free |= gpus_[gpu] == 0 ? core::bit(gpu) : 0;
        }
        return free;
    }
    [[nodiscard]] DeviceMask nics_left() const {
        DeviceMask left = 0;
        for (std::size_t nic = 0; nic < nics_.size(); ++nic) {
            left |= nics_[nic] < 100 ? core::bit(nic) : 0;
        }
        return left;
    }

    tests::DeviceBooks plain_;
    MachineAllocator& allocator_;
    MachineState state_ = MachineAllocator::idle();
    std::vector<Held> held_;
    std::vector<Amount> gpus_;
    std::vector<Amount> nics_;
};

/// Numbers of pods, as a caller of an allocator gives them; with `again`, each pod gets a second
/// number.
class Numbers {
public:
    std::uint32_t of(const std::string& text, bool again = false) {
        const auto known =
            numbers_.try_emplace(text, static_cast<std::uint32_t>(numbers_.size())).first;
        return known->second + (again ? 1'000'000 : 0);
    }

private:
    std::map<std::string, std::uint32_t> numbers_;
};

bool same(const MachineAnswer& a, const MachineAnswer& b) {
    return a.fits == b.fits && a.score == b.score && a.gpus == b.gpus && a.nics == b.nics &&
           a.after == b.after && a.reached == b.reached && a.attainable == b.attainable &&
           a.possible == b.possible;
}

/// Asks for one pod and checks the answer in every way.
const MachineAnswer& check_ask(const DeviceAsk& ask,
                               Numbers& numbers,
                               MachineAllocator& allocator,
                               const Server& server) {
    const MachineAnswer& answer =
        allocator.ask(ask.devices, numbers.of(ask.devices.text), server.state());
    const std::uint64_t decisions = allocator.decisions();
    REQUIRE(&answer == &allocator.ask(ask.devices, numbers.of(ask.devices.text), server.state()));
    REQUIRE(allocator.decisions() == decisions);
    if (answer.fits) {
        server.check_grant(ask, answer);
    } else {
        REQUIRE(answer.gpus == 0);
        REQUIRE(answer.nics == 0);
        REQUIRE(answer.after == server.state());
    }
    return answer;
}

}  // namespace

TEST_CASE("machine allocators: what is given was free, and comes back", "[core][devices]") {
    for (const DeviceWay& way : tests::device_ways()) {
        CAPTURE(way.text());
        std::uint64_t refused = 0;
        std::uint64_t granted = 0;
        for (std::uint64_t seed = 0; seed < tests::cases(40); ++seed) {
            CAPTURE(seed);
            Dice dice(seed);
            const core::MachineType type = tests::random_machine(dice, "m");
            const auto allocator = way.make(type);
            Server server(*allocator, type);
            Numbers numbers;
            for (int step = 0; step < 25; ++step) {
                CAPTURE(step);
                if (!server.held().empty() && dice.chance(35)) {
                    server.give_back(
                        static_cast<std::size_t>(dice.roll(0, std::ssize(server.held()) - 1)));
                } else {
                    const DeviceAsk ask = tests::random_ask(dice, way.allocator);
                    CAPTURE(ask.devices.text);
                    const MachineAnswer& answer = check_ask(ask, numbers, *allocator, server);
                    ++(answer.fits ? granted : refused);
                    if (answer.fits) {
                        server.take(ask, answer);
                    }
                }
                server.check_free();
            }
            while (!server.held().empty()) {
                server.give_back(
                    static_cast<std::size_t>(dice.roll(0, std::ssize(server.held()) - 1)));
            }
            REQUIRE(server.state() == MachineAllocator::idle());
        }
        CHECK(granted > 100);
        CHECK(refused > 100);
    }
}

TEST_CASE("machine allocators: an answer is a function of pod and state", "[core][devices]") {
    // The same pods are asked about again under other numbers, in another order and after other
    // pods.
    for (const DeviceWay& way : tests::device_ways()) {
        CAPTURE(way.text());
        for (std::uint64_t seed = 0; seed < tests::cases(20); ++seed) {
            CAPTURE(seed);
            Dice dice(seed + 1000);
            const core::MachineType type = tests::random_machine(dice, "m");
            const auto allocator = way.make(type);
            Server server(*allocator, type);
            Numbers numbers;
            std::vector<std::tuple<DeviceAsk, MachineState, const MachineAnswer*>> asked;
            for (int step = 0; step < 20; ++step) {
                const DeviceAsk ask = tests::random_ask(dice, way.allocator);
                const MachineAnswer& answer = check_ask(ask, numbers, *allocator, server);
                asked.emplace_back(ask, server.state(), &answer);
                if (answer.fits) {
                    server.take(ask, answer);
                } else if (!server.held().empty()) {
                    server.give_back(0);
                }
            }
            for (auto entry = asked.rbegin(); entry != asked.rend(); ++entry) {
                const auto& [ask, state, answer] = *entry;
                CAPTURE(ask.devices.text, state);
                const std::uint32_t other = numbers.of(ask.devices.text, true);
                REQUIRE(same(allocator->ask(ask.devices, other, state), *answer));
            }
        }
    }
}

TEST_CASE("machine allocators: pods leave in any order to the same states", "[core][devices]") {
    for (const DeviceWay& way : tests::device_ways()) {
        CAPTURE(way.text());
        for (std::uint64_t seed = 0; seed < tests::cases(20); ++seed) {
            CAPTURE(seed);
            Dice dice(seed + 2000);
            const core::MachineType type = tests::random_machine(dice, "m");
            const auto allocator = way.make(type);
            Numbers numbers;
            std::vector<const MachineAnswer*> held;
            MachineState full = MachineAllocator::idle();
            for (int tries = 0; tries < 12 && held.size() < 4; ++tries) {
                const DeviceAsk ask = tests::random_ask(dice, way.allocator);
                const MachineAnswer& answer =
                    allocator->ask(ask.devices, numbers.of(ask.devices.text), full);
                if (answer.fits) {
                    held.push_back(&answer);
                    full = answer.after;
                }
            }
            std::vector<std::size_t> order(held.size());
            for (std::size_t i = 0; i < order.size(); ++i) {
                order[i] = i;
            }
            std::map<std::set<std::size_t>, MachineState> states;  // by the pods still there
            do {
                std::set<std::size_t> there(order.begin(), order.end());
                MachineState state = full;
                for (const std::size_t pod : order) {
                    state = allocator->without(state, *held[pod]);
                    there.erase(pod);
                    REQUIRE(states.try_emplace(there, state).first->second == state);
                }
                REQUIRE(state == MachineAllocator::idle());
            } while (std::ranges::next_permutation(order).found);
        }
    }
}

TEST_CASE("machine allocators: an idle server gives any number of its GPUs", "[core][devices]") {
    // Devices that are in use when a run begins are taken in this way
    // (sim/cluster/inside/devices/server_devices.cpp).
    for (const DeviceWay& way : tests::device_ways()) {
        CAPTURE(way.text());
        for (std::uint64_t seed = 0; seed < tests::cases(30); ++seed) {
            CAPTURE(seed);
            Dice dice(seed + 3000);
            core::MachineType type = tests::random_machine(dice, "m");
            for (core::DeviceGroup& group : type.devices) {
                group.model = dice.chance(50) ? "H100" : "";
            }
            const auto allocator = way.make(type);
            const auto gpus = static_cast<Amount>(allocator->layout().gpu_count());
            for (Amount count = 1; count <= gpus + 1; ++count) {
                CAPTURE(count);
                const MachineAnswer& answer = allocator->ask(tests::ask_for(count, 0).devices,
                                                             static_cast<std::uint32_t>(count),
                                                             MachineAllocator::idle());
                REQUIRE(answer.fits == (count <= gpus));
            }
        }
    }
}

TEST_CASE("machine allocators: exact serves whom the greedy serves", "[core][devices]") {
    for (const DeviceWay& way : tests::device_ways()) {
        if (way.rules.exact || way.allocator == "first-fit") {
            continue;
        }
        CAPTURE(way.text());
        std::uint64_t compared = 0;
        for (std::uint64_t seed = 0; seed < tests::cases(40); ++seed) {
            CAPTURE(seed);
            Dice dice(seed + 4000);
            const core::MachineType type = tests::random_machine(dice, "m");
            const auto greedy = way.make(type);
            const auto exact = DeviceWay{way.allocator, {way.rules.published, true}}.make(type);
            Numbers numbers;
            MachineState of_greedy = MachineAllocator::idle();
            MachineState of_exact = MachineAllocator::idle();
            for (int step = 0; step < 20; ++step) {
                const DeviceAsk ask = tests::random_ask(dice, way.allocator);
                CAPTURE(step, ask.devices.text);
                const std::uint32_t number = numbers.of(ask.devices.text);
                const MachineAnswer& found = greedy->ask(ask.devices, number, of_greedy);
                const MachineAnswer& best = exact->ask(ask.devices, number, of_exact);
                ++compared;
                REQUIRE((best.fits || !found.fits));
                // The two servers are alike only as long as both solvers did the same.
                if (best.gpus != found.gpus || best.nics != found.nics) {
                    break;
                }
                of_greedy = found.after;
                of_exact = best.after;
            }
        }
        CHECK(compared > 100);
    }
}

TEST_CASE("machine layouts: as slow ones", "[core][devices]") {
    for (std::uint64_t seed = 0; seed < tests::cases(1000); ++seed) {
        CAPTURE(seed);
        Dice dice(seed);
        const core::MachineType type = tests::random_machine(dice, "m");
        const core::MachineLayout layout(type);
        const tests::DeviceBooks plain(type);
        REQUIRE(layout.gpu_count() == plain.gpu_count());
        REQUIRE(layout.nic_count() == plain.nic_count());
        for (int i = 0; i < 8; ++i) {
            const auto gpus =
                static_cast<DeviceMask>(dice.roll(0, 255)) & (core::bit(plain.gpu_count()) - 1);
            const auto nics =
                static_cast<DeviceMask>(dice.roll(0, 15)) & (core::bit(plain.nic_count()) - 1);
            CAPTURE(gpus, nics);
            if (gpus != 0) {
                REQUIRE(layout.locality(gpus, nics) == plain.locality(gpus, nics));
            }
            REQUIRE(layout.whole_free(gpus) == plain.whole_free(gpus));
            const int count = static_cast<int>(dice.roll(1, 4));
            const int nic_count = static_cast<int>(dice.roll(0, 3));
            REQUIRE(layout.attainable(gpus,
                                      nics,
                                      static_cast<std::size_t>(count),
                                      static_cast<std::size_t>(nic_count)) ==
                    plain.attainable(gpus, nics, count, nic_count));
        }
    }
}

TEST_CASE("machine layouts: an island across NUMA nodes, and a NIC for each switch",
          "[core][devices]") {
    core::MachineType type{"m", core::Amounts(0), {}};
    type.devices = {{"gpu", 4, "", 0, {0, 0, 1, 1}, {0, 1, 2, 2}, {{1, 2}}, 0},
                    {"rdma", 2, "", 0, {0, 1}, {1, 2}, {}, 0}};
    const core::MachineLayout layout(type);
    CHECK(layout.locality(0b0110, 0b11) == Locality{false, true, false, true});
    CHECK(layout.locality(0b0110, 0b01) == Locality{false, true, false, false});
    CHECK(layout.locality(0b1100, 0b10) == Locality{true, false, true, true});
    CHECK(layout.locality(0b0011, 0b11) == Locality{false, false, true, false});
    // Two GPUs can have a NIC beside each; with one NIC only if both are on its switch.
    CHECK(layout.attainable(0b1111, 0b11, 2, 1) == Locality{true, true, true, true});
    CHECK(layout.attainable(0b0111, 0b11, 2, 1) == Locality{false, true, true, false});
    CHECK(layout.attainable(0b0111, 0b11, 2, 2) == Locality{false, true, true, true});
    CHECK(layout.attainable(0b0111, 0b01, 2, 2) == Locality{false, true, true, false});
    // Only the island counts, and it is whole or not.
    CHECK(layout.whole_free(0b1111) == 2);
    CHECK(layout.whole_free(0b1011) == 0);
}

TEST_CASE("machine layouts: what is beyond 64 devices is not looked at", "[core][devices]") {
    core::MachineType type{"m", core::Amounts(0), {}};
    type.devices = {{"gpu", 70, "", 0, std::vector<std::int64_t>(70, 0), {}, {}, 0},
                    {"fpga", 3, "", 0, {}, {}, {}, 0}};
    const core::MachineLayout layout(type);
    CHECK(layout.gpu_count() == 64);
    CHECK(layout.nic_count() == 0);
    CHECK(layout.whole_free(~DeviceMask{0}) == 64);
}
