// What plans of future times ask of ServerProviders: see sim/cluster/inside/inside.hpp.

#include <algorithm>
#include <memory>
#include <vector>

#include "core/support/assert.hpp"
#include "sim/cluster/inside/providers/server_providers.hpp"

namespace berth::sim {

using core::Amount;
using core::InventoryRow;
using core::ProviderIndex;
using core::ServerId;

/// Calls `visit` for each provider of a place and each of its inventories, in their order.
template <class Visit>
void ServerProviders::visit_rows(std::uint32_t place, Visit visit) const {
    for (ProviderIndex p = forest_.root(place); p < forest_.tree_end(place); ++p) {
        for (const InventoryRow& row : forest_.inventories(p)) {
            visit(p, row);
        }
    }
}

Inside::Taken ServerProviders::taken(std::uint32_t place) const {
    Taken taken;
    visit_rows(place, [&](ProviderIndex /*provider*/, const InventoryRow& row) {
        taken.push_back(row.used);
    });
    return taken;
}

std::vector<std::uint32_t> ServerProviders::places_of(ServerId server, const Grant& grant) const {
    std::vector<std::uint32_t> places{core::provider_tree_of(server)};
    for (const ProviderUse::Part& part : grant.providers->parts) {
        places.push_back(forest_.tree(part.provider));
    }
    std::ranges::sort(places);
    const auto repeated = std::ranges::unique(places);
    places.erase(repeated.begin(), repeated.end());
    return places;
}

void ServerProviders::add_in_plan(std::uint32_t place,
                                  const Parts& parts,
                                  Amount sign,
                                  Taken& into) const {
    std::size_t at = 0;
    visit_rows(place, [&](ProviderIndex provider, const InventoryRow& row) {
        for (const ProviderUse::Part& part : parts) {
            if (part.provider == provider && part.type == row.resource_class) {
                into[at] += sign * part.amount;
            }
        }
        ++at;
    });
}

void ServerProviders::put_in(std::uint32_t place, const Grant& grant, Taken& taken) const {
    add_in_plan(place, grant.providers->parts, 1, taken);
}

void ServerProviders::take_out(std::uint32_t place, const Grant& grant, Taken& taken) const {
    add_in_plan(place, grant.providers->parts, -1, taken);
}

std::unique_ptr<Inside> ServerProviders::plan_over(core::Ledger& copy) const {
    auto plan = std::make_unique<ServerProviders>(copy, plugin_);
    plan->plans_ = true;
    return plan;
}

void ServerProviders::show(std::uint32_t place, const Taken& taken) {
    Parts more;
    std::size_t at = 0;
    visit_rows(place, [&](ProviderIndex provider, const InventoryRow& row) {
        if (taken[at] != row.used) {
            more.push_back({provider, row.resource_class, taken[at] - row.used});
        }
        ++at;
    });
    for (const ProviderUse::Part& part : more) {
        const InventoryRow& row = *forest_.inventory(part.provider, part.type);
        const Amount before = row.capacity - row.used;
        forest_.add_usage(part.provider, part.type, part.amount);
        if (!core::server_of_providers(place, topology_)) {
            tell_sharers(part.provider, part.type, before, before - part.amount);
        }
    }
}

bool ServerProviders::is_free(std::uint32_t place, const Grant& grant, const Taken& taken) const {
    Taken with = taken;
    add_in_plan(place, grant.providers->parts, 1, with);
    bool free = true;
    std::size_t at = 0;
    visit_rows(place, [&](ProviderIndex /*provider*/, const InventoryRow& row) {
        free = free && (with[at] == taken[at] || with[at] <= row.capacity);
        ++at;
    });
    return free;
}

Grant ServerProviders::take_planned(ServerId server, const Grant& grant) {
    const ProviderUse& use = *grant.providers;
    for (const ProviderUse::Part& part : use.parts) {
        const InventoryRow* row = forest_.inventory(part.provider, part.type);
        BERTH_ASSERT(row->used + part.amount <= row->capacity,
                     "a pod takes of providers what is free");
    }
    add_and_tell(server, use.parts, 1);
    ++pods_on_[server.index];
    return {nullptr,
            std::make_shared<const ProviderUse>(ProviderUse{&forest_, use.parts, use.beside}),
            {}};
}

}  // namespace berth::sim
