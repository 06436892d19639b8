#include "tests/model/random_gpus.hpp"

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "tests/model/plain_gpus.hpp"

namespace berth::tests {
namespace {

using core::Amount;

template <class T>
const T& one_of(Dice& dice, const std::vector<T>& all) {
    return all[static_cast<std::size_t>(dice.roll(0, std::ssize(all) - 1))];
}

/// The initial quotas, and those that changes create or modify.
std::vector<core::ElasticQuota*> quotas_of(PlainCase& of) {
    std::vector<core::ElasticQuota*> all;
    if (!of.settings.quotas) {
        return all;
    }
    for (core::ElasticQuota& quota : of.settings.quotas->quotas) {
        all.push_back(&quota);
    }
    for (sim::QuotaChange& change : of.settings.quotas->changes) {
        if (auto* created = std::get_if<sim::QuotaChange::Create>(&change.what)) {
            all.push_back(&created->quota);
        } else if (auto* updated = std::get_if<sim::QuotaChange::Update>(&change.what)) {
            all.push_back(&updated->quota);
        }
    }
    return all;
}

/// Scales CPUs to whole cores, around the 128 cores of the server with which policies compare
/// others.
void scale_cpus(Dice& dice, PlainCase& of) {
    const Amount unit = 1000 * one_of<Amount>(dice, {2, 8, 16, 24});
    for (std::vector<Amount>& type : of.tree.types) {
        type.front() *= unit;
    }
    for (std::vector<Amount>& outside : of.outside) {
        outside.front() *= unit;
    }
    for (sim::Job& job : of.jobs) {
        const Amount less = dice.roll(0, 7) * unit / 8;
        job.demand.front() = std::max<Amount>(job.demand.front() * unit - less, 0);
    }
    scale_quotas(of, "cpu", unit);
}

/// Pairs, fours or uneven islands of GPUs, some of them on no island; and NUMA nodes.
core::DeviceGroup random_gpus(Dice& dice) {
    core::DeviceGroup gpus;
    gpus.kind = "gpu";
    gpus.model = dice.chance(50) ? "A" : "B";
    gpus.count = dice.chance(15) ? 0 : dice.chance(10) ? dice.roll(9, 12) : dice.roll(1, 8);
    const bool numa = dice.chance(50);
    for (std::int64_t i = 0; numa && i < gpus.count; ++i) {
        gpus.numa.push_back(dice.chance(80) ? 2 * i / gpus.count : dice.roll(0, 1));
    }
    if (dice.chance(50)) {
        for (std::int64_t first = 0; first < gpus.count;) {
            const std::int64_t end = std::min(first + dice.roll(1, 4), gpus.count);
            std::vector<std::int64_t> island;
            for (; first < end; ++first) {
                island.push_back(first);
            }
            if (dice.chance(85)) {
                gpus.nvlink.push_back(island);
            }
        }
    }
    return gpus;
}

/// Lets a job ask for a share of a GPU or for whole GPUs, of some models or of any.
void ask_for_gpus(Dice& dice, sim::Job& job) {
    job.demand.push_back(0);
    Amount& milli = job.demand.back();
    if (dice.chance(25)) {
        return;
    }
    milli = dice.chance(60) ? one_of<Amount>(dice, {1, 100, 200, 250, 300, 400, 500, 600, 750, 999})
                            : whole_gpu * (dice.chance(85) ? dice.roll(1, 4) : dice.roll(5, 9));
    if (dice.chance(25)) {
        core::GpuRequest asked = gpus_asked(job);
        asked.models = one_of<std::vector<std::string>>(dice, {{"A"}, {"B"}, {"A", "B"}, {"C"}});
        job.gpus = std::make_shared<core::GpuRequest>(asked);
    }
}

sim::GpuPlugin random_plugin(Dice& dice) {
    sim::GpuPlugin plugin;
    plugin.policy = one_of<std::string>(dice,
                                        {"",
                                         "best-fit",
                                         "dot-product",
                                         "gpu-clustering",
                                         "gpu-packing",
                                         "fragmentation-gradient-descent",
                                         "fragmentation-gradient-descent",
                                         "topology-aware-packing",
                                         "topology-aware-fragmentation"});
    for (std::int64_t gpus = 1; plugin.policy == "topology-aware-fragmentation" && gpus < 16;) {
        gpus += dice.roll(1, 8);
        plugin.gangs.push_back({gpus, dice.roll(1, 3)});
    }
    const bool looks_at_domains = plugin.policy.starts_with("topology-aware");
    plugin.ties_at_random = !plugin.policy.empty() && !looks_at_domains && dice.chance(25);
    plugin.seed = static_cast<std::uint64_t>(dice.roll(0, 1000));
    return plugin;
}

}  // namespace

void scale_quotas(PlainCase& of, const std::string& resource, Amount factor) {
    for (core::ElasticQuota* quota : quotas_of(of)) {
        for (core::Quantities* limits : {&quota->min, &quota->max}) {
            (*limits)[resource] *= factor;
        }
    }
}

void add_memory(Dice& dice, PlainCase& of) {
    if (of.tree.types.front().size() > 1) {
        return;
    }
    for (std::vector<Amount>& type : of.tree.types) {
        type.push_back(dice.roll(1, 8));
    }
    for (std::vector<Amount>& outside : of.outside) {
        outside.push_back(0);
    }
    for (sim::Job& job : of.jobs) {
        job.demand.push_back(dice.roll(0, 2));
    }
    for (core::ElasticQuota* quota : quotas_of(of)) {
        quota->min["memory"] = quota->is_parent ? core::Quantity{16} * 1'000'000'000 : 0;
        quota->max["memory"] = core::Quantity{dice.roll(16, 40)} * 1'000'000'000;
    }
}

void limit(Dice& dice,
           PlainCase& of,
           const std::string& resource,
           std::int64_t most,
           core::Quantity unit) {
    for (core::ElasticQuota* quota : quotas_of(of)) {
        const std::int64_t least =
            quota->is_parent ? 2 * most : 0;  // as much as its two children together
        quota->min[resource] = dice.roll(least, least + most) * unit;
        quota->max[resource] = quota->min[resource] + dice.roll(0, 4 * most) * unit;
    }
}

void limit_gpus(Dice& dice, PlainCase& of) {
    constexpr core::Quantity milli = 1'000'000;
    limit(dice, of, "nvidia.com/gpu", 4'000, milli);
}

void share_gpus(Dice& dice, PlainCase& of) {
    scale_cpus(dice, of);
    add_memory(dice, of);
    for (std::vector<Amount>& type : of.tree.types) {
        of.tree.gpus.push_back(random_gpus(dice));
        type.push_back(of.tree.gpus.back().count * whole_gpu);
    }
    for (std::size_t server = 0; server < of.outside.size(); ++server) {
        const Amount most = of.tree.types[of.tree.type_of[server]].back();
        const bool whole = dice.chance(50);
        const Amount in_use = dice.chance(80) ? 0 : dice.roll(0, most);
        of.outside[server].push_back(whole ? in_use / whole_gpu * whole_gpu : in_use);
    }
    for (sim::Job& job : of.jobs) {
        ask_for_gpus(dice, job);
    }
    limit_gpus(dice, of);
    of.settings.profile.inside.gpus = random_plugin(dice);
    of.typical_percent = dice.chance(60) ? 95 : dice.roll(1, 100);
}

}  // namespace berth::tests
