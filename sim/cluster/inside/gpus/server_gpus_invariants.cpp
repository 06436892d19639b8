#include "core/ledger/ledger_invariants.hpp"
#include "sim/cluster/inside/gpus/server_gpus.hpp"

namespace berth::sim {

/// Checks what follows from the devices, one by one. Amounts of fragmentation that were asked for
/// once are remembered by set, and sets never change; the meter compares their sums.
std::optional<core::Violation> ServerGpus::find_violation() {
    if (auto violation = core::find_wrong_gpus(ledger_)) {
        return violation;
    }
    if (domains_) {
        domains_->catch_up();
        return domains_->find_violation();
    }
    return std::nullopt;
}

}  // namespace berth::sim
