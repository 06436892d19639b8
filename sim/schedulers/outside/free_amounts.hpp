#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/ledger/change_log.hpp"
#include "core/support/violation.hpp"
#include "sim/cluster/cluster.hpp"

namespace berth::sim {

/// What pods may take on each server now, as one array: a row for each server, a column for each
/// resource of the schema. A server that takes no pods has zeros: it is down, or is being drained.
///
/// Cost: O(resources) for each server that changed since the last question.
class FreeAmounts {
public:
    /// `cluster` outlives it.
    explicit FreeAmounts(const Cluster& cluster);

    /// The rows, one after the other; their address is stable.
    [[nodiscard]] std::span<const core::Amount> rows();
    /// The same rows, for readers that keep them beyond this object's end. They are up to date
    /// after rows().
    [[nodiscard]] std::shared_ptr<std::vector<core::Amount>> shared_rows() const {
        return amounts_;
    }
    /// Compares each row with the cluster.
    [[nodiscard]] std::optional<core::Violation> find_violation();

private:
    void write(core::ServerId server, std::span<core::Amount> row) const;
    [[nodiscard]] std::span<core::Amount> row(core::ServerId server);
    void write_all();

    const Cluster& cluster_;
    core::ChangeReader changes_;
    std::shared_ptr<std::vector<core::Amount>> amounts_;
};

}  // namespace berth::sim
