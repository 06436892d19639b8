#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/group_allocator/group_exact.hpp"
#include "core/group_allocator/group_key.hpp"
#include "core/group_allocator/group_levels.hpp"
#include "core/group_allocator/group_translation.hpp"
#include "core/machine_allocators/machine_allocator.hpp"
#include "core/machine_views/group_key_view.hpp"
#include "core/support/assert.hpp"
#include "core/support/parse_number.hpp"

namespace berth::core {
namespace {

/// The device that a group resource belongs to: `resource/group/.../gpu/3/cards` is GPU 3.
struct NamedDevice {
    std::string_view kind;
    std::size_t number = 0;
};

std::optional<NamedDevice> device_of(std::string_view resource) {
    std::optional<NamedDevice> device;
    std::string_view rest = below_group_prefix(resource);
    while (const auto key = split_group_key(rest)) {
        const auto number = parse_number<std::size_t>(key->index);
        device = number ? std::optional(NamedDevice{key->name, *number}) : std::nullopt;
        rest = key->rest;
    }
    return device;
}

/// group-allocator: the hierarchical group allocator over the machine's group keys. A pod may name
/// groups or only numbers; what it leaves out is translated. NICs that are asked for by share are
/// whole here. A machine's score does not depend on others, and is from 0 to 1.
class GroupMachine final : public MachineAllocator {
public:
    GroupMachine(const MachineType& type, const MachineRules& rules)
        : MachineAllocator(type),
          exact_(rules.exact),
          rules_(rules.published ? published_group_rules : paper_group_rules),
          keys_(group_key_view(type)),
          gpu_levels_(gpu_levels(keys_)),
          levels_(keys_),
          tree_(keys_, {}, rules_.order),
          states_(tree_),
          greedy_(rules_) {
        (void)number_of(states_.idle());
    }

    [[nodiscard]] MachineState without(MachineState state, const MachineAnswer& answer) override {
        std::vector<GroupStates::Change> changes;
        BERTH_ASSERT(answer.fits && answer.grant < grants_.size(),
                     "what is given back was granted");
        for (const GroupCharge& charge : grants_[answer.grant]) {
            const Amount used = states_.used(by_number_[state], charge.resource);
            changes.push_back({charge.resource,
                               tree_.resource(charge.resource).scorer->returned(used, charge.pod)});
        }
        return number_of(states_.with(by_number_[state], changes));
    }

    [[nodiscard]] bool is_free(MachineState state, const MachineAnswer& answer) const override {
        return std::ranges::all_of(grants_[answer.grant], [&](const GroupCharge& charge) {
            return used_with(state, charge) <= tree_.resource(charge.resource).allocatable;
        });
    }

    [[nodiscard]] MachineState with(MachineState state, const MachineAnswer& answer) override {
        std::vector<GroupStates::Change> changes;
        for (const GroupCharge& charge : grants_[answer.grant]) {
            const Amount most = std::max(tree_.resource(charge.resource).allocatable,
                                         states_.used(by_number_[state], charge.resource));
            changes.push_back({charge.resource, std::min(used_with(state, charge), most)});
        }
        return number_of(states_.with(by_number_[state], changes));
    }

    [[nodiscard]] MachineState either(MachineState one, MachineState other) override {
        std::vector<GroupStates::Change> changes;
        for (std::uint32_t resource = 0; resource < tree_.resource_count(); ++resource) {
            const Amount used = states_.used(by_number_[other], resource);
            if (used > states_.used(by_number_[one], resource)) {
                changes.push_back({resource, used});
            }
        }
        return number_of(states_.with(by_number_[one], changes));
    }

    [[nodiscard]] std::string why_not(const PodDevices& pod, MachineState state) override {
        const std::optional<GroupFit> fit = fit_of(pod, state);
        if (!fit) {
            return "it has too few devices, or none of those names";
        }
        std::string out;
        for (const GroupReason& reason : fit->reasons) {
            out += fmt::format("{}{}: {} requested, {} of {} used",
                               out.empty() ? "" : "; ",
                               reason.resource,
                               reason.requested,
                               reason.used,
                               reason.capacity);
        }
        return out;
    }

protected:
    [[nodiscard]] DeviceMask gpus_in_use(MachineState state) const override {
        return used_at_least(state, "gpu", [](Amount /*allocatable*/) { return Amount{1}; });
    }
    [[nodiscard]] DeviceMask nics_exhausted(MachineState state) const override {
        return used_at_least(state, "rdma", [](Amount allocatable) { return allocatable; });
    }

    [[nodiscard]] MachineAnswer decide(const PodDevices& pod, MachineState state) override {
        MachineAnswer answer{.after = state};
        const std::optional<GroupFit> found = fit_of(pod, state);
        if (!found || !found->found) {
            return answer;
        }
        const GroupFit& fit = *found;
        const GroupPod containers = containers_of(pod);
        const GroupState& before = *by_number_[state];
        answer.fits = true;
        const double share = rules_.mean_score ? fit.score : fit.score / tree_.resource_count();
        answer.score = static_cast<std::int64_t>(share * static_cast<double>(machine_score_max));
        for (const std::uint32_t resource : fit.allocate_from.front()) {
            const auto device = device_of(tree_.resource_name(resource));
            if (device && device->number < devices_of_type_max) {
                answer.gpus |= device->kind == "gpu" ? bit(device->number) : 0;
                answer.nics |= device->kind == "rdma" ? bit(device->number) : 0;
            }
        }
        std::vector<GroupStates::Change> changes;
        std::vector<GroupCharge> charges = group_charges(tree_, before, containers, fit, rules_);
        for (const GroupCharge& charge : charges) {
            changes.push_back({charge.resource, charge.used});
        }
        answer.after = number_of(states_.with(&before, changes));
        answer.grant = grants_.size();
        grants_.push_back(std::move(charges));
        return answer;
    }

private:
    /// How much of a resource is used after a pod is charged for it.
    [[nodiscard]] Amount used_with(MachineState state, const GroupCharge& charge) const {
        const auto& resource = tree_.resource(charge.resource);
        const Amount used = states_.used(by_number_[state], charge.resource);
        return resource.scorer->score(resource.allocatable, 0, used, charge.pod, false).node;
    }

    [[nodiscard]] GroupPod containers_of(const PodDevices& pod) const {
        return {{"pod", false, requests_of(pod), {}, {}}};
    }

    /// The fit of a pod; nothing if it asks for something that no state of the machine has.
    [[nodiscard]] std::optional<GroupFit> fit_of(const PodDevices& pod, MachineState state) {
        // A count stands for names that the machine has. If it has none, the count would ask for
        // nothing.
        if (pod.gpu_count() > static_cast<Amount>(layout().gpu_count()) ||
            count_of_nics(pod) > static_cast<Amount>(layout().nic_count())) {
            return std::nullopt;
        }
        const GroupPod containers = containers_of(pod);
        if (tree_.empty() || containers.front().demands.empty()) {
            return std::nullopt;
        }
        const GroupState& before = *by_number_[state];
        return exact_ ? fit_exact(tree_, before, containers, rules_).fit
                      : greedy_.fit(tree_, before, containers);
    }

    static Amount count_of_nics(const PodDevices& pod) {
        constexpr Amount whole_nic = 100;
        return pod.rdma() > whole_nic ? pod.rdma() / whole_nic : std::min<Amount>(pod.rdma(), 1);
    }

    [[nodiscard]] GroupAmountList requests_of(const PodDevices& pod) const {
        GroupAmounts names = pod.groups;
        for (Amount nic = 0; nic < count_of_nics(pod); ++nic) {
            names.emplace(fmt::format("{}/rdma/{}/cards", group_prefix, nic), 1);
        }
        if (rules_ == published_group_rules) {
            return translate_gpu_requests(
                pod.gpu_count(), gpu_levels_, {names.begin(), names.end()});
        }
        names = levels_.translate(pod.gpu_count(), names);
        return {names.begin(), names.end()};
    }

    /// The devices of a kind of which at least a certain amount of some resource is used.
    template <class Least>
    [[nodiscard]] DeviceMask used_at_least(MachineState state,
                                           std::string_view kind,
                                           Least least) const {
        DeviceMask used = 0;
        for (std::uint32_t resource = 0; resource < tree_.resource_count(); ++resource) {
            const auto device = device_of(tree_.resource_name(resource));
            if (device && device->kind == kind && device->number < devices_of_type_max &&
                states_.used(by_number_[state], resource) >=
                    least(tree_.resource(resource).allocatable)) {
                used |= bit(device->number);
            }
        }
        return used;
    }

    MachineState number_of(const GroupState* state) {
        const auto [known, fresh] =
            numbers_.try_emplace(state->id, static_cast<MachineState>(by_number_.size()));
        if (fresh) {
            by_number_.push_back(state);
        }
        return known->second;
    }

    bool exact_;
    GroupRules rules_;
    GroupAmounts keys_;
    GpuLevels gpu_levels_;
    GroupLevels levels_;
    GroupTree tree_;
    GroupStates states_;
    GroupAllocator greedy_;
    /// The number of each state, by its id.
    std::unordered_map<std::uint32_t, MachineState> numbers_;
    std::vector<const GroupState*> by_number_;
    std::vector<std::vector<GroupCharge>> grants_;
};

}  // namespace

std::unique_ptr<MachineAllocator> make_group_machine(const MachineType& type,
                                                     const MachineRules& rules) {
    return std::make_unique<GroupMachine>(type, rules);
}

}  // namespace berth::core
