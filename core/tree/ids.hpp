#pragma once

#include <compare>
#include <cstdint>

namespace berth::core {

/// The index of one entity in its table: 0-based, dense, stable for the whole run. Ids with
/// distinct tags do not mix, so a ServerId never reaches a parameter that wants a NodeId.
template <class Tag>
struct Id {
    std::uint32_t index = 0;
    friend constexpr auto operator<=>(Id, Id) = default;
};

/// A node of the topology tree, numbered breadth-first from the root, which is 0.
using NodeId = Id<struct NodeTag>;
/// A server, numbered in the order of the last level: its column in the ledger.
using ServerId = Id<struct ServerTag>;
/// A level of the tree, counted from the root, which is level 0.
using Level = Id<struct LevelTag>;

/// An amount of one resource in the unit of its ResourceSchema entry (milli-CPU, bytes, ...).
using Amount = std::int64_t;
/// A number of group members.
using Members = std::int64_t;

}  // namespace berth::core
