#include "tests/model/random_providers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/allocation_candidates/candidate_query.hpp"
#include "tests/model/one_of.hpp"
#include "tests/model/plain_gpus.hpp"
#include "tests/model/plain_providers.hpp"
#include "tests/model/random_gpus.hpp"
#include "tests/model/random_queries.hpp"

namespace berth::tests {
namespace {

using core::Amount;

/// The devices of one kind, with or without NUMA nodes and switches.
core::DeviceGroup random_devices(Dice& dice, const char* kind, bool on_nodes, bool on_switches) {
    core::DeviceGroup group;
    group.kind = kind;
    group.count = dice.chance(15) ? 0 : dice.roll(1, 4);
    for (std::int64_t i = 0; i < group.count; ++i) {
        const std::int64_t node = dice.roll(0, 1);
        if (on_nodes) {
            group.numa.push_back(node);
        }
        if (on_switches) {
            group.pcie.push_back((on_nodes ? 2 * node : 0) + dice.roll(0, 1));
        }
    }
    return group;
}

/// A machine with few CPUs, with or without NUMA nodes, GPUs and NICs.
void add_machine(Dice& dice, PlainCase& of, std::vector<Amount>& type, bool virtual_gpus) {
    type[0] *= vcpu * dice.roll(1, 3);
    type[1] *= mebibyte * dice.roll(1, 4);
    const bool on_nodes = dice.chance(60);
    const bool on_switches = dice.chance(40);
    of.tree.numa_nodes.push_back(on_nodes && dice.chance(90) ? 2 : dice.roll(0, on_nodes ? 0 : 1));
    core::DeviceGroup& gpus =
        of.tree.gpus.emplace_back(random_devices(dice, "gpu", on_nodes, on_switches));
    gpus.model = dice.chance(50) ? "A" : "";
    gpus.virtual_functions = virtual_gpus ? dice.roll(2, 3) : 0;
    if (gpus.count > 1 && dice.chance(30)) {
        gpus.nvlink = {{0, 1}};
    }
    core::DeviceGroup& nics =
        of.tree.nics.emplace_back(random_devices(dice, "nic", on_nodes, on_switches));
    nics.virtual_functions = dice.roll(1, 4);
    for (std::int64_t i = 0; i < nics.count; ++i) {
        std::vector<std::string>& traits = nics.traits.emplace_back();
        traits.push_back(fmt::format("CUSTOM_PHYSNET{}", dice.roll(1, 2)));
        if (dice.chance(20)) {
            traits.emplace_back("CUSTOM_FAST");
        }
    }
    of.tree.traits.emplace_back();
    if (dice.chance(40)) {
        of.tree.traits.back().emplace_back("COMPUTE_VOLUME_MULTI_ATTACH");
    }
    type.push_back(gpus.count * whole_gpu);
    type.push_back(dice.chance(30) ? 0 : dice.roll(1, 8) * gibibyte);
}

core::ProviderInventory random_inventory(Dice& dice) {
    core::ProviderInventory inventory;
    inventory.total = dice.roll(1, 10);
    if (dice.chance(20)) {
        inventory.reserved = dice.roll(0, inventory.total);
    }
    if (dice.chance(20)) {
        inventory.max_unit = dice.roll(1, 4);
    }
    if (dice.chance(10)) {
        inventory.min_unit = dice.roll(1, 2);
    }
    if (dice.chance(10)) {
        inventory.step_size = 2;
    }
    if (dice.chance(15)) {
        inventory.allocation_ratio = static_cast<double>(dice.roll(1, 6)) / 2;
    }
    return inventory;
}

/// Adds shared providers, most often disks.
void share_something(Dice& dice, PlainCase& of) {
    const auto levels = static_cast<std::int64_t>(of.tree.parents.size());
    while (std::ssize(of.tree.shared) < 3 && dice.chance(55)) {
        core::SharedProvider& shared = of.tree.shared.emplace_back();
        shared.name = fmt::format("shared-{}", of.tree.shared.size());
        shared.level.index = static_cast<std::uint32_t>(dice.roll(0, levels - 1));
        const auto add = [&] {
            const std::string resource_class = one_of<std::string>(dice,
                                                                   {"DISK_GB",
                                                                    "DISK_GB",
                                                                    "DISK_GB",
                                                                    "CUSTOM_LICENSE",
                                                                    "CUSTOM_LICENSE",
                                                                    "VCPU",
                                                                    "PGPU",
                                                                    "SRIOV_NET_VF"});
            shared.inventories[resource_class] = random_inventory(dice);
        };
        add();
        if (dice.chance(20)) {
            add();
        }
        if (dice.chance(30)) {
            shared.traits.emplace_back("CUSTOM_FAST");
        }
    }
}

/// Adds some usage from outside, sometimes parts of a unit.
void add_outside(Dice& dice, PlainCase& of) {
    for (std::size_t server = 0; server < of.outside.size(); ++server) {
        std::vector<Amount>& outside = of.outside[server];
        const std::vector<Amount>& type = of.tree.types[of.tree.type_of[server]];
        outside[0] = std::max<Amount>(outside[0] * vcpu - (dice.chance(50) ? vcpu / 2 : 0), 0);
        outside[1] = std::max<Amount>(outside[1] * mebibyte - (dice.chance(50) ? 1 : 0), 0);
        outside.push_back(dice.chance(80) ? 0 : dice.roll(0, type[gpu_resource] / 500) * 500);
        outside.push_back(dice.chance(80) ? 0 : dice.roll(0, type[disk_resource]));
    }
}

/// Whether some server of an idle cluster can serve the query.
bool can_be_served(const PlainForest& forest, const core::CandidateQuery& query) {
    const std::vector<Amount> idle(forest.inventories.size(), 0);
    return std::ranges::any_of(forest.providers, [&](const PlainProvider& provider) {
        return !provider.parent && !provider.shared &&
               !plain_candidates(forest, idle, query, provider.tree, 1).empty();
    });
}

std::shared_ptr<const sim::PodQuery> random_pod_query(Dice& dice,
                                                      const PlainCase& of,
                                                      const PlainForest& forest) {
    auto query = std::make_shared<sim::PodQuery>();
    bool good = false;
    while (!good) {
        query->text = random_query(dice, of, dice.roll(1, 3), dice.roll(1, 3));
        query->query = std::get<core::CandidateQuery>(core::parse_candidate_query(query->text));
        good = knows_names(of, query->query) &&
               (dice.chance(10) || can_be_served(forest, query->query));
    }
    return query;
}

/// Gives the jobs queries of a few kinds, so that some wait for others of their kind.
void ask(Dice& dice, PlainCase& of) {
    const PlainForest forest = plain_forest(*of.tree.topology());
    std::vector<std::shared_ptr<const sim::PodQuery>> queries;
    for (std::int64_t kinds = dice.roll(1, 6); kinds > 0; --kinds) {
        queries.push_back(random_pod_query(dice, of, forest));
    }
    for (sim::Job& job : of.jobs) {
        job.query = dice.chance(4) ? nullptr : one_of(dice, queries);  // null: it asks for nothing
        settle_demand(of, job);
    }
}

}  // namespace

void settle_demand(const PlainCase& of, sim::Job& job) {
    const std::vector<std::pair<std::string, Amount>> counted{
        {"VCPU", vcpu}, {"MEMORY_MB", mebibyte}, {"PGPU", whole_gpu}, {"DISK_GB", gibibyte}};
    job.demand = sim::Demand(of.tree.types.front().size());
    for (std::size_t r = 0; job.query != nullptr && r < counted.size(); ++r) {
        const auto& [resource_class, unit] = counted[r];
        const bool shared = std::ranges::any_of(of.tree.shared, [&](const auto& provider) {
            return provider.inventories.contains(resource_class);
        });
        for (const core::CandidateGroup& group : job.query->query.groups) {
            for (const auto& [asked, amount] : group.resources) {
                job.demand[r] += asked == resource_class && !shared ? amount * unit : 0;
            }
        }
    }
}

void ask_for_candidates(Dice& dice, PlainCase& of) {
    add_memory(dice, of);
    scale_quotas(of, "cpu", vcpu);
    scale_quotas(of, "memory", mebibyte);
    const bool virtual_gpus = dice.chance(25);
    for (std::vector<Amount>& type : of.tree.types) {
        add_machine(dice, of, type, virtual_gpus);
    }
    share_something(dice, of);
    add_outside(dice, of);
    ask(dice, of);
    limit_gpus(dice, of);
    limit(dice, of, "ephemeral-storage", 3, core::Quantity{gibibyte} * 1'000'000'000);
    of.settings.profile.inside.candidates =
        sim::CandidatePlugin{one_of<sim::CandidateChoice>(dice,
                                                          {sim::CandidateChoice::first,
                                                           sim::CandidateChoice::first,
                                                           sim::CandidateChoice::pack,
                                                           sim::CandidateChoice::spread})};
}

}  // namespace berth::tests
