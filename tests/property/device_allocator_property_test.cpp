// Compares the exact solver with all choices, and states with their own history of use and
// restoration.

#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <tuple>

#include "core/device_allocator/device_allocator.hpp"
#include "core/device_allocator/device_locality.hpp"
#include "tests/support/random_cluster.hpp"

using namespace berth;
using core::bit;
using core::DeviceMask;
using core::DeviceType;
using tests::Dice;

namespace {

/// One device of the plain solver.
struct PlainDevice {
    int numa = 0;
    int pcie = 0;  ///< Unique within the machine.
    bool healthy = true;
    core::Amount used = 0;  ///< Percent in use.
};

struct PlainMachine {
    core::ByDeviceType<std::vector<PlainDevice>> devices;
};

struct Wish {
    DeviceType primary = DeviceType::gpu;
    DeviceType secondary = DeviceType::rdma;
    core::ByDeviceType<core::Amount> count;
    core::ByDeviceType<core::Amount> each;
    core::ByDeviceType<core::ExclusivePolicy> exclusive;
    core::TopologyScope gpu_scope = core::TopologyScope::unset;
    bool same_pcie = false;
};

PlainMachine random_machine(Dice& dice) {
    PlainMachine machine;
    const auto numa_nodes = dice.roll(1, 2);
    const auto switches = dice.roll(1, 4);
    const int busy = static_cast<int>(dice.roll(0, 60));
    const auto add = [&](DeviceType type, std::int64_t count) {
        for (std::int64_t i = 0; i < count; ++i) {
            PlainDevice device;
            device.numa = static_cast<int>(dice.roll(0, numa_nodes - 1));
            device.pcie = device.numa * 10 + static_cast<int>(dice.roll(0, switches - 1));
            device.healthy = dice.chance(95);
            device.used = dice.chance(busy) ? (dice.chance(70) ? 100 : 50) : 0;
            machine.devices[type].push_back(device);
        }
    };
    add(DeviceType::gpu, dice.roll(1, dice.chance(50) ? 8 : 5));
    add(DeviceType::rdma, dice.roll(1, 5));
    return machine;
}

Wish random_wish(Dice& dice) {
    Wish wish;
    if (dice.chance(30)) {
        std::swap(wish.primary, wish.secondary);
    }
    wish.count[DeviceType::gpu] = dice.roll(1, 5);
    wish.each[DeviceType::gpu] = wish.count[DeviceType::gpu] == 1 && dice.chance(40) ? 50 : 100;
    wish.count[DeviceType::rdma] = dice.chance(60) ? 1 : dice.roll(2, 3);
    wish.each[DeviceType::rdma] = wish.count[DeviceType::rdma] > 1 || dice.chance(30) ? 100 : 1;
    wish.same_pcie = dice.chance(50);
    for (const DeviceType type : {DeviceType::gpu, DeviceType::rdma}) {
        if (dice.chance(20)) {
            wish.exclusive[type] = dice.chance(50) ? core::ExclusivePolicy::device_level
                                                   : core::ExclusivePolicy::pcie_level;
        }
    }
    if (dice.chance(30) && (wish.primary == DeviceType::gpu || wish.same_pcie)) {
        wish.gpu_scope = dice.chance(50)   ? core::TopologyScope::numa_node
                         : dice.chance(50) ? core::TopologyScope::pcie
                                           : core::TopologyScope::device;
    }
    return wish;
}

std::shared_ptr<const core::DeviceInventory> inventory_of(const PlainMachine& plain) {
    core::MachineDevices machine;
    for (const DeviceType type : {DeviceType::gpu, DeviceType::rdma}) {
        for (const PlainDevice& device : plain.devices[type]) {
            core::DeviceDescription out;
            out.type = type;
            out.minor = static_cast<std::int32_t>(&device - plain.devices[type].data());
            out.healthy = device.healthy;
            out.topology = {0, device.numa, std::to_string(device.pcie), ""};
            if (type == DeviceType::gpu) {
                out.resources = {{std::string(core::device_resource::gpu_core), 100},
                                 {std::string(core::device_resource::gpu_memory), 80},
                                 {std::string(core::device_resource::gpu_memory_ratio), 100}};
            } else {
                out.resources = {{std::string(core::device_resource::rdma), 100}};
            }
            machine.devices.push_back(std::move(out));
        }
    }
    return std::make_shared<const core::DeviceInventory>(std::move(machine));
}

core::DeviceState state_of(const PlainMachine& plain, const core::DeviceInventory& inventory) {
    core::DeviceAllocation taken;
    for (const DeviceType type : {DeviceType::gpu, DeviceType::rdma}) {
        core::DeviceGrants& grants = taken[type];
        for (std::size_t d = 0; d < plain.devices[type].size(); ++d) {
            const core::Amount used = plain.devices[type][d].used;
            grants.devices.push_back(static_cast<std::uint8_t>(d));
            for (std::size_t r = 0; r < inventory.of(type).resources.size(); ++r) {
                const bool is_memory = type == DeviceType::gpu && r == core::gpu_position::memory;
                grants.amounts.push_back(is_memory ? used * 80 / 100 : used);
            }
        }
    }
    core::DeviceState state(inventory);
    state.take(inventory, taken);
    return state;
}

core::DevicePod pod_of(const Wish& wish) {
    core::DevicePod pod;
    pod.requests[std::string(core::device_resource::gpu)] =
        wish.count[DeviceType::gpu] * wish.each[DeviceType::gpu];
    pod.requests[std::string(core::device_resource::rdma)] =
        wish.count[DeviceType::rdma] * wish.each[DeviceType::rdma];
    pod.joint = core::DeviceJoint{{wish.primary, wish.secondary}, wish.same_pcie};
    for (const DeviceType type : {DeviceType::gpu, DeviceType::rdma}) {
        pod.hints[type].exclusive = wish.exclusive[type];
    }
    pod.hints[DeviceType::gpu].required_scope = wish.gpu_scope;
    return pod;
}

/// Locality of a whole allocation, smaller is better: scope, share of switches without a secondary
/// (as num/den), far secondaries, switches, new devices on NUMA nodes, new devices on switches.
struct PlainRank {
    int scope = 0;
    int bare = 0;
    int switches = 1;
    int far = 0;
    int new_numa = 0;
    int new_pcie = 0;

    friend bool operator<(const PlainRank& a, const PlainRank& b) {
        return std::tuple(a.scope, a.bare * b.switches, a.far, a.switches, a.new_numa, a.new_pcie) <
               std::tuple(b.scope, b.bare * a.switches, b.far, b.switches, b.new_numa, b.new_pcie);
    }
};

/// The plain solver: tries every set of primaries with every set of secondaries.
class Brute {
public:
    Brute(const PlainMachine& machine, const Wish& wish, bool documented)
        : machine_(machine), wish_(wish), documented_(documented) {
        for (const DeviceType type : {DeviceType::gpu, DeviceType::rdma}) {
            for (std::size_t d = 0; d < machine.devices[type].size(); ++d) {
                usable_[type] |= is_usable(type, machine.devices[type][d]) ? bit(d) : 0;
            }
        }
    }

    std::optional<PlainRank> best() const {
        std::optional<PlainRank> best;
        const auto limit = [&](DeviceType type) {
            return DeviceMask{1} << machine_.devices[type].size();
        };
        for (DeviceMask p = 1; p < limit(wish_.primary); ++p) {
            if (std::popcount(p) != wish_.count[wish_.primary] || !usable(wish_.primary, p) ||
                !near_enough(wish_.primary, p)) {
                continue;
            }
            for (DeviceMask s = 1; s < limit(wish_.secondary); ++s) {
                if (std::popcount(s) >= wish_.count[wish_.secondary] &&
                    usable(wish_.secondary, s) && near_enough(wish_.secondary, s) && obeys(p, s)) {
                    const PlainRank rank = rank_of(p, s);
                    best = !best || rank < *best ? rank : *best;
                }
            }
        }
        return best;
    }

    PlainRank rank_of(DeviceMask p, DeviceMask s) const {
        PlainRank rank;
        const auto switches = places(wish_.primary, p, &PlainDevice::pcie);
        const auto nodes = places(wish_.primary, p, &PlainDevice::numa);
        rank.scope = switches.size() == 1 ? 0 : nodes.size() == 1 ? 1 : 2;
        rank.switches = static_cast<int>(switches.size());
        const auto served = places(wish_.secondary, s, &PlainDevice::pcie);
        for (const int at : switches) {
            rank.bare += std::ranges::count(served, at) == 0 ? 1 : 0;
        }
        for (std::size_t d = 0; d < machine_.devices[wish_.secondary].size(); ++d) {
            const int numa = machine_.devices[wish_.secondary][d].numa;
            rank.far += (s & bit(d)) != 0 && std::ranges::count(nodes, numa) == 0 ? 1 : 0;
        }
        rank.new_pcie = unused(switches, &PlainDevice::pcie);
        rank.new_numa = unused(nodes, &PlainDevice::numa);
        return rank;
    }

private:
    bool usable(DeviceType type, DeviceMask chosen) const { return (chosen & ~usable_[type]) == 0; }

    bool is_usable(DeviceType type, const PlainDevice& device) const {
        bool good = device.healthy && device.used + wish_.each[type] <= 100;
        if (wish_.exclusive[type] == core::ExclusivePolicy::device_level) {
            good = good && device.used == 0;
        }
        if (wish_.exclusive[type] == core::ExclusivePolicy::pcie_level) {
            for (const PlainDevice& other : machine_.devices[type]) {
                good = good && (other.pcie != device.pcie || other.used == 0);
            }
        }
        return good;
    }

    bool near_enough(DeviceType type, DeviceMask chosen) const {
        if (type != DeviceType::gpu || wish_.gpu_scope == core::TopologyScope::unset) {
            return true;
        }
        if (wish_.gpu_scope == core::TopologyScope::device) {
            return std::popcount(chosen) == 1 && documented_;
        }
        const auto place =
            wish_.gpu_scope == core::TopologyScope::pcie ? &PlainDevice::pcie : &PlainDevice::numa;
        return places(type, chosen, place).size() == 1;
    }

    /// Whether there are as many secondaries as the rules give to these primaries, and beside them
    /// if that is required.
    bool obeys(DeviceMask p, DeviceMask s) const {
        const auto switches = places(wish_.primary, p, &PlainDevice::pcie);
        const auto taken = static_cast<core::Amount>(std::popcount(s));
        const core::Amount desired = wish_.count[wish_.secondary];
        if (wish_.same_pcie && places(wish_.secondary, s, &PlainDevice::pcie) != switches) {
            return false;
        }
        if (wish_.secondary == DeviceType::gpu) {
            return taken == desired;
        }
        const DeviceMask usable = usable_[wish_.secondary];
        const core::Amount usable_count = std::popcount(usable);
        core::Amount served = 0;
        for (const int at : places(wish_.secondary, usable, &PlainDevice::pcie)) {
            served += std::ranges::count(switches, at);
        }
        const auto switch_count = static_cast<core::Amount>(switches.size());
        const core::Amount added = documented_ ? served : std::min(switch_count, usable_count);
        return taken == std::max(desired, added);
    }

    std::vector<int> places(DeviceType type, DeviceMask chosen, int PlainDevice::* place) const {
        std::vector<int> out;
        for (std::size_t d = 0; d < machine_.devices[type].size(); ++d) {
            if ((chosen & bit(d)) != 0) {
                out.push_back(machine_.devices[type][d].*place);
            }
        }
        std::ranges::sort(out);
        out.erase(std::unique(out.begin(), out.end()), out.end());
        return out;
    }

    /// The number of healthy primaries in those of the places that are unused.
    int unused(const std::vector<int>& at, int PlainDevice::* place) const {
        int count = 0;
        for (const int one : at) {
            int healthy = 0;
            bool used = false;
            for (const PlainDevice& device : machine_.devices[wish_.primary]) {
                if (device.*place == one) {
                    healthy += device.healthy ? 1 : 0;
                    used = used || (device.used > 0 && device.healthy);
                }
            }
            count += used ? 0 : healthy;
        }
        return count;
    }

    const PlainMachine& machine_;
    const Wish& wish_;
    bool documented_;
    core::ByDeviceType<DeviceMask> usable_;
};

core::DeviceOptions options_of(bool documented, core::DeviceSolver solver) {
    core::DeviceOptions options;
    options.rules = documented ? core::documented_rules() : core::published_rules();
    options.solver = solver;
    options.mode = core::DeviceOptions::Mode::allocate;
    return options;
}

}  // namespace

TEST_CASE("devices: the exact solver finds what there is, with the best locality",
          "[property][devices]") {
    const bool documented = GENERATE(true, false);
    std::size_t placed = 0;
    // Together, both rule sets have 100 000 cases or more under BERTH_LONG.
    for (std::uint64_t seed = 1; seed <= tests::cases(5'000); ++seed) {
        INFO("seed " << seed << (documented ? ", documented" : ", published"));
        Dice dice(seed);
        const PlainMachine machine = random_machine(dice);
        Wish wish = random_wish(dice);
        if (!documented) {  // the program ignores policies
            wish.exclusive = {};
        }
        const auto inventory = inventory_of(machine);
        const core::DeviceState state = state_of(machine, *inventory);
        const core::DeviceOptions options = options_of(documented, core::DeviceSolver::exact);
        const auto request =
            std::get<core::DeviceRequest>(core::translate(pod_of(wish), options.rules));
        const auto outcome = core::DeviceAllocator(inventory, request, options).allocate(state);
        const auto* granted = std::get_if<core::GrantedDevices>(&outcome);
        const Brute brute(machine, wish, documented);
        const auto best = brute.best();
        REQUIRE(best.has_value() == (granted != nullptr));
        if (granted != nullptr) {
            ++placed;
            const PlainRank rank = brute.rank_of(mask_of(granted->devices[wish.primary]),
                                                 mask_of(granted->devices[wish.secondary]));
            CAPTURE(rank.scope, rank.bare, rank.far, rank.switches, rank.new_numa, rank.new_pcie);
            CAPTURE(best->scope, best->bare, best->far, best->switches);
            CAPTURE(best->new_numa, best->new_pcie);
            REQUIRE_FALSE(*best < rank);
            REQUIRE_FALSE(rank < *best);
        }
    }
    CHECK(placed >= 80);
}

TEST_CASE("devices: the greedy solver never beats the exact one, and never finds more",
          "[property][devices]") {
    std::size_t missed = 0;
    for (std::uint64_t seed = 1; seed <= tests::cases(4'000); ++seed) {
        INFO("seed " << seed);
        Dice dice(seed);
        const PlainMachine machine = random_machine(dice);
        const Wish wish = random_wish(dice);
        const auto inventory = inventory_of(machine);
        const core::DeviceState state = state_of(machine, *inventory);
        const auto allocate = [&](core::DeviceSolver solver) {
            const core::DeviceOptions options = options_of(true, solver);
            const auto request =
                std::get<core::DeviceRequest>(core::translate(pod_of(wish), options.rules));
            return core::DeviceAllocator(inventory, request, options).allocate(state);
        };
        const auto greedy = allocate(core::DeviceSolver::greedy);
        const auto exact = allocate(core::DeviceSolver::exact);
        const auto* by_greedy = std::get_if<core::GrantedDevices>(&greedy);
        const auto* by_exact = std::get_if<core::GrantedDevices>(&exact);
        REQUIRE((by_greedy == nullptr || by_exact != nullptr));
        missed += by_greedy == nullptr && by_exact != nullptr ? 1 : 0;
        if (by_greedy != nullptr) {
            const Brute brute(machine, wish, true);
            const auto rank = [&](const core::GrantedDevices& granted) {
                return brute.rank_of(mask_of(granted.devices[wish.primary]),
                                     mask_of(granted.devices[wish.secondary]));
            };
            REQUIRE_FALSE(rank(*by_greedy) < rank(*by_exact));
        }
    }
    CHECK(missed > 0);
}

TEST_CASE("devices: what is taken and given back leaves no trace, and is never taken twice",
          "[property][devices]") {
    for (std::uint64_t seed = 1; seed <= tests::cases(100); ++seed) {
        INFO("seed " << seed);
        Dice dice(seed);
        PlainMachine machine = random_machine(dice);
        const auto inventory = inventory_of(machine);
        const core::DeviceState before = state_of(machine, *inventory);
        core::DeviceState state = before;
        std::vector<core::DeviceAllocation> held;
        for (int step = 0; step < 40; ++step) {
            if (dice.chance(30) && !held.empty()) {
                const auto at = held.begin() + dice.roll(0, std::ssize(held) - 1);
                state.give_back(*inventory, *at);
                held.erase(at);
                continue;
            }
            const Wish wish = random_wish(dice);
            const core::DeviceOptions options = options_of(
                true, dice.chance(50) ? core::DeviceSolver::greedy : core::DeviceSolver::exact);
            const auto request =
                std::get<core::DeviceRequest>(core::translate(pod_of(wish), options.rules));
            const core::DeviceState unchanged = state;
            const auto outcome = core::DeviceAllocator(inventory, request, options).allocate(state);
            REQUIRE(state == unchanged);
            if (const auto* granted = std::get_if<core::GrantedDevices>(&outcome)) {
                for (const DeviceType type : {DeviceType::gpu, DeviceType::rdma}) {
                    REQUIRE((mask_of(granted->devices[type]) & state.closed(type)) == 0);
                }
                state.take(*inventory, granted->devices);
                held.push_back(granted->devices);
            }
        }
        for (const DeviceType type : {DeviceType::gpu, DeviceType::rdma}) {
            const core::DevicesOfType& of = inventory->of(type);
            for (std::size_t i = 0; i < of.total.size(); ++i) {
                const bool was_over = before.used(of.first_used + i) > of.total[i];
                REQUIRE((was_over || state.used(of.first_used + i) <= of.total[i]));
            }
        }
        for (const core::DeviceAllocation& allocation : held) {
            state.give_back(*inventory, allocation);
        }
        REQUIRE(state == before);
        REQUIRE(state.hash() == before.hash());
    }
}
