#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "schedulers/kai/decide/quantities.hpp"

namespace berth::core::kai {

/// Indices into the vectors of a Session. All of them are in the order of names; pods are in that
/// of their jobs, and in a job in that of their ids as texts.
using PodIndex = std::uint32_t;
using JobIndex = std::uint32_t;
using NodeIndex = std::uint32_t;
inline constexpr NodeIndex no_node = UINT32_MAX;

enum class Status : std::uint8_t {
    Pending,
    Gated,
    Allocated,
    Pipelined,
    Binding,
    Bound,
    Running,
    Releasing,
    Succeeded,
    Failed,
    StuckInReleasing,
};

/// A set of statuses, as bits.
using Statuses = unsigned;
[[nodiscard]] constexpr Statuses just(Status status) {
    return 1U << static_cast<unsigned>(status);
}

/// Those that are charged to queues.
inline constexpr Statuses charged_ones =
    just(Status::Allocated) | just(Status::Binding) | just(Status::Bound) | just(Status::Running);
inline constexpr Statuses active = charged_ones | just(Status::Pipelined);
/// Those that use something of a node.
inline constexpr Statuses used = active | just(Status::Releasing) | just(Status::StuckInReleasing);
inline constexpr Statuses alive = active | just(Status::Pending) | just(Status::Gated);

/// A pod on a node, with the status that it had when it was put there.
struct Listing {
    NodeIndex node = no_node;
    Status status = Status::Pending;
};

struct Pod {
    std::string id;
    JobIndex job = 0;
    std::uint32_t leaf = 0;  ///< The leaf that it belongs to, among the groups of its job.
    Vector request{};
    std::optional<std::int64_t> order;  ///< Higher first; before those without.
    Status status = Status::Pending;
    NodeIndex node = no_node;
    /// Whether what happened to it is only tried so far.
    bool is_virtual = false;
    /// The nodes that count it: two where it was evicted on one, and waits for another.
    std::vector<Listing> listings;

    [[nodiscard]] bool is(Statuses statuses) const { return (just(status) & statuses) != 0; }
    /// Whether it waits for a place. In a simulation, pods whose eviction is only simulated do.
    [[nodiscard]] bool is_to_place(bool is_real) const {
        return status == Status::Pending || (!is_real && status == Status::Releasing && is_virtual);
    }
};

}  // namespace berth::core::kai
