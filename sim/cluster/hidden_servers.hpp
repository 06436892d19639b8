#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/index/server_rule.hpp"

namespace berth::sim {

/// Servers that take no pods, whichever job asks. The caller that hides a server tells those that
/// follow the ledger.
class HiddenServers final : public core::ServerRule {
public:
    explicit HiddenServers(std::uint32_t servers) : hidden_(servers) {}

    /// Returns whether that is a change.
    bool set(core::ServerId server, bool hidden) {
        const bool changes = hidden_[server.index] != hidden;
        hidden_[server.index] = hidden;
        return changes;
    }
    [[nodiscard]] std::optional<std::int64_t> score(core::ServerId server) const override {
        return hidden_[server.index] ? std::nullopt : std::optional<std::int64_t>(0);
    }
    [[nodiscard]] core::Members most(core::ServerId server, core::Members fit) const override {
        return hidden_[server.index] ? 0 : fit;
    }

private:
    std::vector<bool> hidden_;
};

}  // namespace berth::sim
