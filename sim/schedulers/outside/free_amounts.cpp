#include "sim/schedulers/outside/free_amounts.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace berth::sim {

using core::Amount;
using core::ServerId;

FreeAmounts::FreeAmounts(const Cluster& cluster)
    : cluster_(cluster),
      changes_(&cluster.ledger().changes()),
      amounts_(std::make_shared<std::vector<Amount>>(cluster.topology().server_count() *
                                                     cluster.ledger().resource_count())) {
    write_all();
}

std::span<Amount> FreeAmounts::row(ServerId server) {
    const std::size_t resources = cluster_.ledger().resource_count();
    return std::span(*amounts_).subspan(server.index * resources, resources);
}

void FreeAmounts::write(ServerId server, std::span<Amount> row) const {
    if (!cluster_.ledger().is_up(server) || cluster_.calendar().is_open(server)) {
        std::ranges::fill(row, 0);
        return;
    }
    const auto available = cluster_.ledger().available(cluster_.topology().node_of(server));
    // A server that is over-committed from outside has negative amounts available.
    std::ranges::transform(
        available, row.begin(), [](Amount amount) { return std::max<Amount>(amount, 0); });
}

void FreeAmounts::write_all() {
    for (std::uint32_t i = 0; i < cluster_.topology().server_count(); ++i) {
        write(ServerId{i}, row(ServerId{i}));
    }
}

std::span<const Amount> FreeAmounts::rows() {
    if (changes_.has_missed()) {
        changes_.skip();
        write_all();
    }
    changes_.each([this](ServerId server) { write(server, row(server)); });
    return *amounts_;
}

std::optional<core::Violation> FreeAmounts::find_violation() {
    (void)rows();
    std::vector<Amount> fresh(cluster_.ledger().resource_count());
    for (std::uint32_t i = 0; i < cluster_.topology().server_count(); ++i) {
        write(ServerId{i}, fresh);
        if (!std::ranges::equal(row(ServerId{i}), fresh)) {
            return core::Violation{
                "a scheduler from outside sees what is free",
                fmt::format("server {}",
                            cluster_.topology().name(cluster_.topology().node_of(ServerId{i}))),
                fmt::format("{}", fmt::join(row(ServerId{i}), " ")),
                fmt::format("{}", fmt::join(fresh, " "))};
        }
    }
    return std::nullopt;
}

}  // namespace berth::sim
