#include <fmt/format.h>

#include "sim/cluster/inside/providers/server_providers.hpp"

namespace berth::sim {

using core::Amount;
using core::ProviderIndex;
using core::ServerId;
using core::Violation;

/// Checks that what is shared is summed up over its providers, and that each server's providers
/// have as much in use as the ledger, for the classes that the ledger counts.
std::optional<Violation> ServerProviders::find_violation() {
    if (plans_) {
        return std::nullopt;  // it has what it was shown, which belongs to no particular pod
    }
    for (const SharedUse& shared : shared_) {
        Amount used = 0;
        const auto type = forest_.classes().find(shared.resource_class);
        for (const ProviderIndex provider : forest_.sharing()) {
            const core::InventoryRow* row = forest_.inventory(provider, *type);
            used += row != nullptr ? row->used : 0;
        }
        if (used != shared.used) {
            return Violation{"what is taken of shared providers is summed up by class",
                             shared.resource_class,
                             fmt::format("{}", shared.used),
                             fmt::format("{}", used)};
        }
    }
    for (std::uint32_t index = 0; index < topology_.server_count(); ++index) {
        const ServerId server{index};
        const core::TreeIndex tree = core::provider_tree_of(server);
        for (const ClassOfType& type : classes_[topology_.machine_type_index(server)]) {
            Amount used = 0;
            bool has_any = false;
            for (ProviderIndex p = forest_.root(tree); p < forest_.tree_end(tree); ++p) {
                const core::InventoryRow* row = forest_.inventory(p, type.type);
                used += row != nullptr ? row->used : 0;
                has_any = has_any || row != nullptr;
            }
            if (type.counted && has_any && used != in_use(server, type)) {
                return Violation{"a server's providers have in use what the ledger has",
                                 fmt::format("{}, {}",
                                             topology_.path(topology_.node_of(server)),
                                             forest_.classes().name(type.type)),
                                 fmt::format("{}", used),
                                 fmt::format("{}", in_use(server, type))};
            }
        }
    }
    return std::nullopt;
}

}  // namespace berth::sim
