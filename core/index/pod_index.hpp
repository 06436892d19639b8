#pragma once

#include <cstdint>
#include <optional>

#include "core/support/violation.hpp"
#include "core/tree/ids.hpp"

namespace berth::core {

/// For one pod shape: the best server for the next pod, and how many servers lack what. It follows
/// the ledger by way of the change log.
class PodIndex {
public:
    PodIndex() = default;
    virtual ~PodIndex() = default;
    PodIndex(const PodIndex&) = delete;
    PodIndex& operator=(const PodIndex&) = delete;

    /// Brings the index up to date with the ledger. Call it before reading, after any change.
    virtual void catch_up() = 0;
    /// The best of the servers on which the next pod fits, or nothing.
    [[nodiscard]] virtual std::optional<ServerId> best() = 0;
    /// Whether the pod fits on a server.
    [[nodiscard]] virtual bool fits(ServerId server) const = 0;
    /// The number of servers on which the pod fits.
    [[nodiscard]] virtual std::uint32_t feasible_count() const = 0;
    /// The number of servers that have too little of `resource`; a server may have too little of
    /// several.
    [[nodiscard]] virtual std::uint32_t insufficient_count(std::size_t resource) const = 0;
    /// The number of servers that have enough of everything, but whose devices or providers refuse
    /// the pod.
    [[nodiscard]] virtual std::uint32_t refused_count() const = 0;
    /// Compares the index, which must be caught up, with one that is built anew.
    /// Cost: that of building it.
    [[nodiscard]] virtual std::optional<Violation> find_violation() const = 0;
    /// The number of servers scored so far. Tests use it to check that the work follows changes and
    /// not size.
    [[nodiscard]] virtual std::uint64_t servers_scored() const = 0;
};

}  // namespace berth::core
