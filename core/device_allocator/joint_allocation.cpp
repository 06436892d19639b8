#include "core/device_allocator/joint_allocation.hpp"

#include <algorithm>
#include <bit>
#include <variant>

#include "core/device_allocator/device_locality.hpp"
#include "core/device_allocator/exact_choice.hpp"
#include "core/device_allocator/gpu_choice.hpp"
#include "core/support/assert.hpp"

namespace berth::core {
namespace {

constexpr DeviceMask everything = ~DeviceMask{0};
constexpr DeviceFailure rules_violation{"node(s) Device Joint-Allocate rules violation"};

DeviceChoice choose_type(const DeviceQuestion& question, DeviceType type, DeviceMask allowed) {
    const Amount count = question.plan.types[type].count;
    BERTH_ASSERT(count > 0, "a type of which nothing is wanted counts as missing");
    return type == DeviceType::gpu
               ? choose_gpus(question, {count, count}, allowed)
               : choose_by_order(question, type, {count, count}, nullptr, allowed);
}

class JointAllocation {
public:
    JointAllocation(const DeviceQuestion& question, DeviceSolver solver)
        : question_(question), plan_(question.plan), solver_(solver) {}

    std::variant<JointChoice, DeviceFailure> choose() {
        const DeviceType primary = plan_.joint.front();
        const DeviceChoice chosen = choose_primary(primary);
        if (const auto* failure = std::get_if<DeviceFailure>(&chosen)) {
            return *failure;
        }
        JointChoice choice;
        choice[primary] = std::get<DevicePicks>(chosen);
        const DeviceMask devices = choice[primary]->mask();
        const bool looks_well = solver_ == DeviceSolver::exact;
        place_.switches = question_.switches_of(primary, devices);
        if (looks_well || !question_.rules.no_numa_stage) {
            place_.numa_nodes = question_.numa_nodes_of(primary, devices);
        }
        place_.deals_blindly = !looks_well && question_.rules.far_secondaries_are_added;
        for (const DeviceType type : secondaries()) {
            const DeviceChoice secondary = choose_secondary(type);
            if (const auto* failure = std::get_if<DeviceFailure>(&secondary)) {
                return *failure;
            }
            choice[type] = std::get<DevicePicks>(secondary);
        }
        if (plan_.same_pcie && !are_on_same_switches(choice)) {
            return rules_violation;
        }
        return choice;
    }

private:
    [[nodiscard]] std::span<const DeviceType> secondaries() const {
        return std::span(plan_.joint).subspan(1);
    }

    DeviceChoice choose_primary(DeviceType primary) {
        if (solver_ == DeviceSolver::exact) {
            const auto picks = choose_exactly(question_, primary, secondaries());
            return picks ? DeviceChoice(*picks) : DeviceChoice(rules_violation);
        }
        if (!plan_.same_pcie || secondaries().empty() ||
            question_.rules.primary_is_chosen_blindly) {
            return choose_type(question_, primary, everything);
        }
        DeviceMask allowed =
            question_.on_switches(primary, question_.inventory.of(primary).all(), everything);
        for (const DeviceType type : secondaries()) {
            const DeviceMask switches = question_.switches_of(type, question_.usable(type));
            allowed = question_.on_switches(primary, allowed, switches);
        }
        const DeviceChoice choice = choose_type(question_, primary, allowed);
        return std::holds_alternative<DevicePicks>(choice) ? choice : why_none(primary);
    }

    /// Whether the primary is wanting by itself, or only together with the secondaries.
    [[nodiscard]] DeviceChoice why_none(DeviceType primary) const {
        const DeviceChoice alone = choose_type(question_, primary, everything);
        return std::holds_alternative<DeviceFailure>(alone) ? alone : DeviceChoice(rules_violation);
    }

    DeviceChoice choose_secondary(DeviceType type) const {
        const Amount switch_count = std::popcount(place_.switches);
        DeviceCount count{plan_.types[type].count, 0};
        BERTH_ASSERT(count.desired > 0, "a type of which nothing is wanted counts as missing");
        if (type == DeviceType::gpu &&
            (solver_ == DeviceSolver::exact || !question_.rules.secondary_gpus_ignore_primary)) {
            return choose_secondary_gpus();
        }
        if (plan_.same_pcie) {
            count.desired = std::max(count.desired, switch_count);
        }
        const Amount served =
            question_.rules.far_secondaries_are_added
                ? switch_count
                : std::popcount(place_.switches &
                                question_.switches_of(type, question_.usable(type)));
        count.most = std::max(count.desired, served);
        return type == DeviceType::gpu
                   ? choose_gpus(question_, count, everything)
                   : choose_by_order(question_, type, count, &place_, everything);
    }

    /// GPUs dealt out over the primary's switches, then its NUMA nodes, then anywhere; as many as
    /// are asked for. If that is not near enough to each other, or must be a partition, the nearest
    /// that is.
    [[nodiscard]] DeviceChoice choose_secondary_gpus() const {
        const DeviceType gpu = DeviceType::gpu;
        const Amount count = plan_.types[gpu].count;
        if (!plan_.honors_partitions) {
            const DeviceChoice dealt =
                choose_by_order(question_, gpu, {count, count}, &place_, everything);
            const auto* picks = std::get_if<DevicePicks>(&dealt);
            if (picks != nullptr &&
                meets_scope(question_.inventory.of(gpu), picks->mask(), plan_.required_scope)) {
                return dealt;
            }
        }
        const DeviceMask beside =
            question_.on_switches(gpu, question_.usable(gpu), place_.switches);
        const DeviceMask near =
            question_.on_numa_nodes(gpu, question_.usable(gpu), place_.numa_nodes);
        DeviceChoice choice = DeviceFailure{};
        for (const DeviceMask allowed : {beside, near, everything}) {
            choice = choose_gpus(question_, {count, count}, allowed);
            if (std::holds_alternative<DevicePicks>(choice)) {
                break;
            }
        }
        return choice;
    }

    [[nodiscard]] bool are_on_same_switches(const JointChoice& choice) const {
        return std::ranges::all_of(secondaries(), [&](DeviceType type) {
            return question_.switches_of(type, choice[type]->mask()) == place_.switches;
        });
    }

    const DeviceQuestion& question_;
    const DevicePlan& plan_;
    DeviceSolver solver_;
    PrimaryPlace place_;
};

}  // namespace

std::variant<JointChoice, DeviceFailure> choose_jointly(const DeviceQuestion& question,
                                                        DeviceSolver solver) {
    if (solver == DeviceSolver::exact) {
        auto choice = JointAllocation(question, solver).choose();
        if (std::holds_alternative<JointChoice>(choice)) {
            return choice;
        }
    }
    // There is none, or only one that rests on devices without a topology, which the program takes
    // to be on any switch. Either way the greedy solver has the word for it.
    return JointAllocation(question, DeviceSolver::greedy).choose();
}

DeviceChoice choose_alone(const DeviceQuestion& question, DeviceSolver solver, DeviceType type) {
    if (solver == DeviceSolver::exact && type == DeviceType::gpu) {  // else there is no locality
        if (const auto picks = choose_exactly(question, type, {})) {
            return *picks;
        }
    }
    return choose_type(question, type, everything);
}

}  // namespace berth::core
