#pragma once

#include <catch2/catch.hpp>
#include <optional>
#include <string>

#include "core/ledger/ledger.hpp"
#include "core/support/violation.hpp"

namespace berth::tests {

/// Gives write access to an object behind its back, as a bug would have it: nothing is logged and
/// no observer is notified.
template <class T>
T& breakable(const T& sound) {
    return const_cast<T&>(sound);  // NOLINT(cppcoreguidelines-pro-type-const-cast)
}

/// Lowers what is available on a server, but on no node above it.
inline void lose(const core::Ledger& ledger, core::ServerId server, core::Amount amount) {
    const core::NodeId node = ledger.topology().node_of(server);
    breakable(ledger.available(node).front()) -= amount;
}

/// A violation in one line, or "none".
inline std::string text(const std::optional<core::Violation>& violation) {
    return violation ? violation->invariant + ": " + violation->where + ": " + violation->found +
                           ": expected " + violation->expected
                     : "none";
}

}  // namespace berth::tests
