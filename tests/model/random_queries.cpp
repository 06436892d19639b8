#include "tests/model/random_queries.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "tests/model/one_of.hpp"

namespace berth::tests {
namespace {

std::string random_policy(Dice& dice) {
    return dice.chance(50) ? "&group_policy=isolate" : "&group_policy=none";
}

/// What a group asks of its providers besides amounts; `suffix` may be empty.
std::string random_conditions(Dice& dice, const PlainCase& of, const std::string& suffix) {
    const auto server = dice.roll(0, std::ssize(of.tree.type_of) - 1);
    const auto shared = std::max<std::int64_t>(std::ssize(of.tree.shared) - 1, 0);
    const std::string aggregate =
        fmt::format("ffffffff-{:04x}-4000-a000-{:012x}", dice.roll(0, shared), dice.roll(0, 1));
    switch (dice.roll(0, 7)) {
        case 0:
            return fmt::format("&in_tree{}={:08x}-0000-4000-8000-000000000000", suffix, server);
        case 1:
            return fmt::format("&in_tree{}=ffffffff-{:04x}-4000-8000-000000000000", suffix, shared);
        case 2:
            return fmt::format("&member_of{}={}", suffix, aggregate);
        case 3:
            return fmt::format("&member_of{}=!{}", suffix, aggregate);
        case 4:
            return fmt::format("&required{}=COMPUTE_VOLUME_MULTI_ATTACH", suffix);
        case 5:
            return fmt::format("&required{}=!MISC_SHARES_VIA_AGGREGATE", suffix);
        case 6:
            return fmt::format("&required{}=in:MISC_SHARES_VIA_AGGREGATE,HW_NUMA_ROOT", suffix);
        default:
            return fmt::format("&root_required={}COMPUTE_VOLUME_MULTI_ATTACH",
                               dice.chance(50) ? "!" : "");
    }
}

std::string gpus(Dice& dice, const PlainCase& of) {
    const bool functions = of.tree.gpus.front().virtual_functions > 0;
    return functions ? fmt::format("VGPU:{}", dice.roll(1, 2)) : "PGPU:1";
}

std::string random_nic(Dice& dice) {
    const std::string asked = fmt::format("&resources_N=SRIOV_NET_VF:{}", dice.roll(1, 2));
    return asked + one_of<std::string>(dice,
                                       {"",
                                        "&required_N=CUSTOM_PHYSNET1",
                                        "&required_N=!CUSTOM_PHYSNET1",
                                        "&required_N=CUSTOM_PHYSNET2,!CUSTOM_FAST",
                                        "&required_N=in:CUSTOM_PHYSNET2,CUSTOM_FAST"});
}

}  // namespace

std::string random_query(Dice& dice,
                         const PlainCase& of,
                         core::Amount cpus,
                         core::Amount mebibytes) {
    const std::string cpu = fmt::format("VCPU:{}", cpus);
    const std::string both = fmt::format("{},MEMORY_MB:{}", cpu, mebibytes);
    const std::string disk = fmt::format("DISK_GB:{}", dice.roll(1, 3));
    const auto conditions = [&](const std::string& suffix) {
        return dice.chance(35) ? random_conditions(dice, of, suffix) : "";
    };
    switch (dice.roll(0, 10)) {
        case 0:
            return "resources=" + both + conditions("");
        case 1:
            return fmt::format("resources={},{}{}", both, disk, conditions(""));
        case 2:
            return fmt::format("resources={}&resources_A={}{}", disk, both, conditions("_A"));
        case 3:
            return fmt::format("resources_A={}&resources_B=VCPU:{}{}{}",
                               cpu,
                               dice.roll(1, 2),
                               random_policy(dice),
                               conditions("_B"));
        case 4:
            return fmt::format("resources_A={}&resources_B=DISK_GB:{}{}{}",
                               disk,
                               dice.roll(1, 2),
                               random_policy(dice),
                               conditions("_A"));
        case 5:
            return fmt::format("resources={}&resources_G={}", cpu, gpus(dice, of));
        case 6:
            return fmt::format("resources={}&resources_G={}&resources_H={}{}",
                               both,
                               gpus(dice, of),
                               gpus(dice, of),
                               random_policy(dice));
        case 7:
            return "resources=" + cpu + random_nic(dice);
        case 8:
            return fmt::format(
                "resources_C={}{}&required_R=HW_NUMA_ROOT&group_policy=none&same_subtree=_C,_N,_R",
                cpu,
                random_nic(dice));
        case 9:
            return fmt::format(
                "resources_G={}{}&required_P=CUSTOM_PCIE_SWITCH&same_subtree=_P,_G,_N{}",
                gpus(dice, of),
                random_nic(dice),
                random_policy(dice));
        default:
            return fmt::format("resources_L=CUSTOM_LICENSE:{}&resources={}{}",
                               dice.roll(1, 3),
                               dice.chance(50) ? disk : cpu,
                               conditions(dice.chance(50) ? "" : "_L"));
    }
}

bool knows_names(const PlainCase& of, const core::CandidateQuery& query) {
    std::set<std::string> known;
    for (const std::vector<core::DeviceGroup>* groups : {&of.tree.gpus, &of.tree.nics}) {
        for (const core::DeviceGroup& group : *groups) {
            if (group.count > 0 && !group.pcie.empty()) {
                known.insert("CUSTOM_PCIE_SWITCH");
            }
            for (const std::vector<std::string>& traits : group.traits) {
                known.insert(traits.begin(), traits.end());
            }
        }
    }
    for (const core::SharedProvider& shared : of.tree.shared) {
        known.insert(shared.traits.begin(), shared.traits.end());
        for (const auto& [resource_class, inventory] : shared.inventories) {
            known.insert(resource_class);
        }
    }
    const auto is_known = [&](const std::string& name) {
        return !name.starts_with("CUSTOM_") || known.contains(name);
    };
    return std::ranges::all_of(query.groups, [&](const core::CandidateGroup& group) {
        return std::ranges::all_of(group.forbidden, is_known) &&
               std::ranges::all_of(group.resources,
                                   [&](const auto& asked) { return is_known(asked.first); }) &&
               std::ranges::all_of(group.required, [&](const core::AnyOf& names) {
                   return std::ranges::all_of(names, is_known);
               });
    });
}

}  // namespace berth::tests
