#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "core/ledger/ledger.hpp"
#include "core/support/assert.hpp"
#include "core/tree/ids.hpp"

namespace berth::core {

/// What a server lacks for one more pod: one bit for each of at most 63 resources, and one bit for
/// its devices, its providers, or another rule.
using Lacks = std::uint64_t;
inline constexpr Lacks lacks_rule = Lacks{1} << 63;

/// The resources that a server has too little of. A server that is down lacks all resources, even
/// for a pod that asks for nothing.
[[nodiscard]] inline Lacks lacking_amounts(const Ledger& ledger,
                                           ServerId server,
                                           std::span<const Amount> demand) {
    const auto available = ledger.available(ledger.topology().node_of(server));
    Lacks lacks = 0;
    for (std::size_t resource = 0; resource < demand.size(); ++resource) {
        if (demand[resource] > 0 && available[resource] < demand[resource]) {
            lacks |= Lacks{1} << resource;
        }
    }
    if (lacks == 0 && !ledger.is_up(server)) {
        lacks = demand.empty() ? lacks_rule : (Lacks{1} << demand.size()) - 1;
    }
    return lacks;
}

/// How many servers lack each thing, kept up to date server by server.
class LackCounts {
public:
    /// At first, no server lacks anything.
    LackCounts(std::uint32_t servers, std::size_t resources)
        : of_server_(servers, 0), insufficient_(resources, 0), feasible_(servers) {
        BERTH_ASSERT(resources < 64, "one bit a resource, and one for the rule");
    }

    void set(ServerId server, Lacks lacks) {
        Lacks& known = of_server_[server.index];
        if (known != lacks) {
            add(known, ~std::uint32_t{0});  // minus one
            add(lacks, 1);
            known = lacks;
            BERTH_AUDIT(feasible_ <= of_server_.size() && refused_ <= of_server_.size(),
                        "no more servers are counted than there are");
        }
    }
    /// The number of servers that lack nothing.
    [[nodiscard]] std::uint32_t feasible() const { return feasible_; }
    [[nodiscard]] std::uint32_t insufficient(std::size_t resource) const {
        return insufficient_[resource];
    }
    /// The number of servers that a rule refuses.
    [[nodiscard]] std::uint32_t refused() const { return refused_; }

private:
    void add(Lacks lacks, std::uint32_t change) {
        feasible_ -= lacks != 0 ? change : 0;
        refused_ += (lacks & lacks_rule) != 0 ? change : 0;
        for (lacks &= ~lacks_rule; lacks != 0; lacks &= lacks - 1) {
            insufficient_[static_cast<std::size_t>(std::countr_zero(lacks))] += change;
        }
    }

    std::vector<Lacks> of_server_;
    /// The number of servers with too little, by resource.
    std::vector<std::uint32_t> insufficient_;
    std::uint32_t refused_ = 0;
    std::uint32_t feasible_;
};

}  // namespace berth::core
