#include "core/device_allocator/device_decision.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <span>

#include "core/device_allocator/default_order.hpp"
#include "core/device_allocator/device_locality.hpp"
#include "core/device_allocator/exact_search.hpp"
#include "core/device_allocator/gpu_choice.hpp"
#include "core/support/assert.hpp"

namespace berth::core {
namespace {

using JointChoice = ByDeviceType<std::optional<DevicePicks>>;

/// The widest scope in which the devices may lie; nothing if no scope will do.
std::optional<TopologyScope> widest_scope(const DeviceQuestion& question,
                                          DeviceType primary,
                                          std::span<const DeviceType> secondaries) {
    const TopologyScope required = question.plan.required_scope;
    const bool follows = question.plan.same_pcie &&
                         std::ranges::find(secondaries, DeviceType::gpu) != secondaries.end();
    if (required <= TopologyScope::machine || (primary != DeviceType::gpu && !follows)) {
        return required != TopologyScope::unset && primary == DeviceType::gpu &&
                       topology_failure(question)
                   ? std::nullopt
                   : std::optional(TopologyScope::machine);
    }
    if (topology_failure(question)) {
        return std::nullopt;
    }
    if (required == TopologyScope::device) {
        return question.rules.device_scope_is_never_met ||
                       question.plan.types[DeviceType::gpu].count > 1
                   ? std::nullopt
                   : std::optional(TopologyScope::pcie);
    }
    return required;
}

/// The best of the partitions that the pod can have.
std::optional<DevicePicks> choose_best_partition(const DeviceQuestion& question,
                                                 ExactSearch& search) {
    const auto feasible = feasible_partitions(question, ~DeviceMask{0}, false);
    const auto* list = std::get_if<std::vector<FeasiblePartition>>(&feasible);
    if (list == nullptr) {
        return std::nullopt;
    }
    const FeasiblePartition* best = nullptr;
    ExactRank best_rank;
    for (const FeasiblePartition& partition : *list) {
        const auto found = search.judge(partition.partition->mask);
        if (!found) {
            continue;
        }
        const auto order =
            best == nullptr ? std::strong_ordering::less : found->rank.compare(best_rank);
        const bool is_preferred = best != nullptr && order == 0 &&
                                  (partition.group < best->group ||
                                   (partition.group == best->group && partition.left > best->left));
        if (order < 0 || is_preferred) {
            best = &partition;
            best_rank = found->rank;
        }
    }
    if (best == nullptr) {
        return std::nullopt;
    }
    DevicePicks picks;
    for (const std::size_t gpu : best->partition->gpus) {
        picks.add(gpu);
    }
    return picks;
}

/// Chooses the primary's devices so that an allocation is found whenever there is one, and that it
/// has the best locality. The criteria are, in this order: the tightest scope that holds the
/// primary's devices; the greatest share of its PCIe switches that have each of the secondaries on
/// them; the fewest secondaries off its NUMA nodes; the fewest PCIe switches; the smallest NUMA
/// nodes and switches among those that come into use; the best score of a shared GPU; the lowest
/// minors. The secondaries are then chosen beside these devices, which is the best for this
/// primary.
///
/// If the machine has a partition table, GPUs come by partition if one will do: by the same
/// criteria, then in the order of the table.
///
/// Cost:    devices on one switch are interchangeable, and so are switches with equal figures. This
///          is a branch-and-bound over how many switches of each kind are used. It takes about 2 us
///          with 16 devices, and 200 us with 64 devices on as many switches, half of them in use.
/// Returns: nothing if there is no allocation.
/// Limits:  the result is the best one unless 100,000 beginnings did not suffice, on machines with
///          dozens of switches. A secondary that is a GPU with a required scope is placed after the
///          primary, which without SamePCIe may not be the best for both.
std::optional<DevicePicks> choose_exactly(const DeviceQuestion& question,
                                          DeviceType primary,
                                          std::span<const DeviceType> secondaries) {
    const TypePlan& wanted = question.plan.types[primary];
    const bool with_functions =
        primary != DeviceType::gpu || !question.rules.gpus_come_without_functions;
    ExactSearch search(question, primary, secondaries);
    if (primary == DeviceType::gpu && !wanted.is_shared) {
        if (auto picks = choose_best_partition(question, search)) {
            picks->with_functions = with_functions;
            return picks;
        }
        if (question.plan.honors_partitions) {
            return std::nullopt;
        }
    }
    const auto widest = widest_scope(question, primary, secondaries);
    if (!widest) {
        return std::nullopt;
    }
    const auto found = search.search(std::max<Amount>(1, wanted.count), *widest);
    if (!found) {
        return std::nullopt;
    }
    DevicePicks picks = DevicePicks::of(found->devices);
    picks.with_functions = with_functions;
    return picks;
}

/// The devices that joint allocation chose, by type; nothing for a type that it leaves alone.

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

    /// Why there is no allocation: whether the primary alone cannot be served, or only together
    /// with the secondaries.
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

    /// As many GPUs as are asked for, dealt out over the primary's switches, then its NUMA nodes,
    /// then anywhere. If these are not near enough to each other, or have to be a partition, the
    /// nearest GPUs that meet this.
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

/// Chooses the devices of the primary type, then those of each secondary near to them.
///
/// Returns: a failure if a type does not get its devices, or if SamePCIe is required and the types
///          are on different switches.
std::variant<JointChoice, DeviceFailure> choose_jointly(const DeviceQuestion& question,
                                                        DeviceSolver solver) {
    if (solver == DeviceSolver::exact) {
        auto choice = JointAllocation(question, solver).choose();
        if (std::holds_alternative<JointChoice>(choice)) {
            return choice;
        }
    }
    // There is no allocation, or only one that rests on devices without a topology, which the
    // program assumes to be on any switch. In either case the greedy solver says what the program
    // says.
    return JointAllocation(question, DeviceSolver::greedy).choose();
}

/// Chooses the devices of one type by itself.
DeviceChoice choose_alone(const DeviceQuestion& question, DeviceSolver solver, DeviceType type) {
    // For other types there is no locality.
    if (solver == DeviceSolver::exact && type == DeviceType::gpu) {
        if (const auto picks = choose_exactly(question, type, {})) {
            return *picks;
        }
    }
    return choose_type(question, type, everything);
}

class Decision {
public:
    Decision(const DeviceQuestion& question, DeviceSolver solver, bool primary_only)
        : question_(question), solver_(solver) {
        const DevicePlan& plan = question.plan;
        for (const DeviceType type : device_request_order) {
            const bool skipped = primary_only && plan.skips_secondaries && !plan.joint.empty() &&
                                 type != plan.joint.front();
            if (plan.types[type].requested && !skipped) {
                types_[count_++] = type;
            }
        }
    }

    std::variant<DeviceAllocation, DeviceFailures> decide() {
        for (const auto what : {TypePlan::Missing::devices, TypePlan::Missing::functions}) {
            collect_missing(what);
            if (!failures_.messages.empty()) {
                return failures_;
            }
        }
        ByDeviceType<std::optional<DevicePicks>> chosen;
        if (count_ > 1 && !question_.plan.joint.empty()) {
            auto jointly = choose_jointly(question_, solver_);
            if (const auto* failure = std::get_if<DeviceFailure>(&jointly)) {
                add(*failure);
                return failures_;
            }
            chosen = std::get<JointChoice>(jointly);
        }
        for (const DeviceType type : types()) {
            if (!chosen[type]) {
                const DeviceChoice alone = choose_alone(question_, solver_, type);
                if (const auto* failure = std::get_if<DeviceFailure>(&alone)) {
                    add(*failure);
                } else {
                    chosen[type] = std::get<DevicePicks>(alone);
                }
            }
        }
        if (!failures_.messages.empty()) {
            return failures_;
        }
        DeviceAllocation allocation;
        for (const DeviceType type : types()) {
            BERTH_ASSERT(chosen[type], "without a failure, every type has its devices");
            allocation[type] = grant(type, *chosen[type]);
        }
        return allocation;
    }

private:
    [[nodiscard]] std::span<const DeviceType> types() const {
        return std::span(types_).first(count_);
    }

    void add(const DeviceFailure& failure) {
        failures_.resolvable =
            failures_.messages.empty() ? failure.resolvable : failures_.resolvable;
        failures_.messages.push_back(failure.message);
    }

    void collect_missing(TypePlan::Missing what) {
        for (const DeviceType type : types()) {
            if (question_.plan.types[type].missing == what) {
                add(what == TypePlan::Missing::devices ? insufficient_devices(type, false)
                                                       : insufficient_functions(type));
            }
        }
    }

    [[nodiscard]] DeviceGrants grant(DeviceType type, const DevicePicks& picks) const {
        const DevicesOfType& of = question_.inventory.of(type);
        const TypePlan& plan = question_.plan.types[type];
        DeviceGrants grants;
        BERTH_ASSERT(plan.each.size() == of.resources.size(),
                     "amounts are by the resources of the type");
        grants.devices.assign(picks.begin(), picks.end());
        grants.amounts.reserve(picks.size() * plan.each.size());
        for (const std::size_t d : picks) {
            grants.amounts.insert(grants.amounts.end(), plan.each.begin(), plan.each.end());
            if (type == DeviceType::gpu) {
                fill_memory(std::span(grants.amounts).last(plan.each.size()),
                            std::span(of.total).subspan(d * plan.each.size(), plan.each.size()));
            }
        }
        if (plan.wants_vf && picks.with_functions) {
            for (const std::size_t d : picks) {
                const auto function = question_.free_function(type, d);
                BERTH_ASSERT(function, "a device was picked for a function that it has free");
                grants.vfs.push_back(static_cast<std::int32_t>(*function));
            }
        }
        if (!question_.rules.exclusive_is_ignored && plan.exclusive != ExclusivePolicy::unset) {
            grants.closed = picks.mask();
            if (plan.exclusive == ExclusivePolicy::pcie_level) {
                const DeviceMask switches = question_.switches_of(type, grants.closed);
                grants.closed |= question_.on_switches(type, of.all(), switches);
            }
        }
        return grants;
    }

    /// Fills in the ratio for a grant of memory, and the memory for a grant of a ratio.
    static void fill_memory(std::span<Amount> amounts, std::span<const Amount> total) {
        __extension__ using Wide = __int128;
        Amount& memory = amounts[gpu_position::memory];
        Amount& ratio = amounts[gpu_position::memory_ratio];
        const Amount all = total[gpu_position::memory];
        const bool has_memory = memory != DeviceGrants::absent;
        const bool has_ratio = ratio != DeviceGrants::absent;
        if (has_memory && !has_ratio) {
            // Computed in floating point, as in the program: 30% may come out as 29.
            ratio = all == 0 ? 0
                             : static_cast<Amount>(static_cast<double>(memory) /
                                                   static_cast<double>(all) * 100);
        } else if (!has_memory) {
            memory = static_cast<Amount>(Wide{has_ratio ? ratio : 0} * all / 100);
        }
    }

    const DeviceQuestion& question_;
    DeviceSolver solver_;
    std::array<DeviceType, device_type_count> types_{};
    std::size_t count_ = 0;
    DeviceFailures failures_;
};

}  // namespace

std::variant<DeviceAllocation, DeviceFailures> decide(const DeviceQuestion& question,
                                                      DeviceSolver solver,
                                                      bool primary_only) {
    return Decision(question, solver, primary_only).decide();
}

}  // namespace berth::core
