#include "tests/model/plain_providers.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "tests/model/plain_gpus.hpp"

namespace berth::tests {

using core::Amount;
using core::Members;

namespace {

/// The resource that the ledger counts for a class, and the amount of one unit of the class.
std::optional<std::pair<std::size_t, Amount>> counted(const std::string& resource_class) {
    const std::map<std::string, std::pair<std::size_t, Amount>> known{
        {"VCPU", {0, vcpu}},
        {"MEMORY_MB", {1, mebibyte}},
        {"PGPU", {gpu_resource, whole_gpu}},
        {"DISK_GB", {disk_resource, gibibyte}}};
    const auto one = known.find(resource_class);
    return one == known.end() ? std::nullopt : std::optional(one->second);
}

}  // namespace

PlainProviders::PlainProviders(const core::Topology& tree,
                               sim::CandidateChoice choice,
                               const std::vector<std::vector<Amount>>& outside)
    : forest_(std::make_shared<const PlainForest>(plain_forest(tree))),
      choice_(choice),
      servers_(tree.server_count()),
      resources_(tree.resources().size()),
      used_(forest_->inventories.size(), 0) {
    for (std::uint32_t server = 0; server < servers_; ++server) {
        occupy(server, outside[server]);
    }
}

/// Usage from before the run fills the first provider of a class, then the next ones; what exceeds
/// them all is on the last. A part of a unit counts as a whole one, and a GPU in use has all of its
/// functions in use.
void PlainProviders::occupy(std::uint32_t server, const std::vector<Amount>& outside) {
    std::map<std::string, std::vector<std::size_t>> of_class;
    for (std::size_t row = 0; row < used_.size(); ++row) {
        if (forest_->providers[forest_->inventories[row].provider].tree == server) {
            of_class[forest_->inventories[row].resource_class].push_back(row);
        }
    }
    for (const auto& [resource_class, rows] : of_class) {
        const bool functions = resource_class == "VGPU";
        const auto one = counted(functions ? "PGPU" : resource_class);
        if (!one) {
            continue;
        }
        const auto& [resource, unit] = *one;
        Amount left = (outside[resource] + unit - 1) / unit;
        left *= functions ? forest_->inventories[rows.front()].capacity() : 1;
        for (const std::size_t row : rows) {
            used_[row] = std::min(left, forest_->inventories[row].capacity());
            left -= used_[row];
        }
        used_[rows.back()] += left;
    }
}

/// The sum over the candidate's parts of how full their inventories would be with the whole
/// candidate.
std::int64_t PlainProviders::fullness(const PlainGrant& candidate) const {
    constexpr std::int64_t whole = 1 << 20;
    std::int64_t sum = 0;
    for (const PlainShare& part : candidate) {
        Amount used = used_[part.device];
        for (const PlainShare& other : candidate) {
            used += other.device == part.device ? other.amount : 0;
        }
        sum += used * whole / forest_->inventories[part.device].capacity();
    }
    return sum;
}

std::optional<PlainGrant> PlainProviders::choose(const sim::Job& job, std::uint32_t server) const {
    if (job.query == nullptr) {
        return PlainGrant();
    }
    const bool first = choice_ == sim::CandidateChoice::first;
    std::optional<PlainGrant> best;
    constexpr std::size_t most = 1000;
    for (const PlainGrant& candidate :
         plain_candidates(*forest_, used_, job.query->query, server, first ? 1 : most)) {
        const std::int64_t gain = best ? fullness(candidate) - fullness(*best) : 0;
        if (!best || (choice_ == sim::CandidateChoice::pack ? gain > 0 : gain < 0)) {
            best = candidate;
        }
    }
    if (!best) {
        return std::nullopt;
    }
    std::map<std::size_t, Amount> sums;
    for (const PlainShare& part : *best) {
        sums[part.device] += part.amount;
    }
    PlainGrant grant;
    for (const auto& [row, amount] : sums) {
        grant.push_back({row, amount});
    }
    return grant;
}

Members PlainProviders::fit(const sim::Job& job, std::uint32_t server, Members most) const {
    if (job.query == nullptr) {
        return most;
    }
    Members pods = 0;
    PlainProviders rest = *this;
    while (pods < most) {
        const auto grant = rest.choose(job, server);
        if (!grant) {
            break;
        }
        rest.take(*grant);
        ++pods;
    }
    return pods;
}

bool PlainProviders::is_free(const PlainGrant& grant) const {
    return std::ranges::all_of(grant, [&](const PlainShare& share) {
        return used_[share.device] + share.amount <= forest_->inventories[share.device].capacity();
    });
}

void PlainProviders::join(const PlainProviders& other) {
    for (std::size_t row = 0; row < used_.size(); ++row) {
        used_[row] = std::max(used_[row], other.used_[row]);
    }
}

void PlainProviders::add(const PlainGrant& grant, Amount sign) {
    for (const PlainShare& share : grant) {
        used_[share.device] += sign * share.amount;
    }
}

bool PlainProviders::any_shared() const {
    return std::ranges::any_of(forest_->inventories, [&](const PlainInventory& inventory) {
        return forest_->providers[inventory.provider].tree >= servers_;
    });
}

std::vector<Amount> PlainProviders::beside(std::uint32_t server, const PlainGrant& grant) const {
    std::vector<Amount> amounts(resources_, 0);
    for (const PlainShare& share : grant) {
        const PlainInventory& own = forest_->inventories[share.device];
        const bool shared = std::ranges::any_of(forest_->inventories, [&](const auto& other) {
            return forest_->providers[other.provider].tree >= servers_ &&
                   other.resource_class == own.resource_class;
        });
        const auto one = counted(own.resource_class);
        if (shared && one && forest_->providers[own.provider].tree == server) {
            amounts[one->first] += share.amount * one->second;
        }
    }
    return amounts;
}

}  // namespace berth::tests
