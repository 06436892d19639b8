#pragma once

#include <cstdint>

#include "core/tree/logical_tree.hpp"
#include "sim/clock/event.hpp"
#include "sim/clock/random.hpp"

namespace berth::sim {

/// 64 bits folded over what happened, in order: two runs with the same fingerprint went the same
/// way, event by event.
/// Source: OMNeT++'s fingerprints, cfingerprint.h.
class Fingerprint {
public:
    void event(const Event& event) {
        add(static_cast<std::uint64_t>(event.at.count()));
        add(static_cast<std::uint64_t>(event.kind) << 32 | event.subject);
    }
    /// Folds in members that came to a server, or left it in a resize.
    void placed(const core::PlacedNode& server) {
        add(server.node.index);
        add(static_cast<std::uint64_t>(server.count));
    }
    void add(std::uint64_t word) { value_ = mix(value_, word); }
    [[nodiscard]] std::uint64_t value() const { return value_; }

private:
    std::uint64_t value_ = 0;
};

}  // namespace berth::sim
