#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/index/server_rule.hpp"

namespace berth::sim {

/// The servers on which a job's pods may run, by their labels: Kubernetes' `nodeSelector`.
class NodeSelector final : public core::ServerRule {
public:
    /// `text` names the labels: two selectors of one text select the same servers.
    NodeSelector(std::string text, std::vector<bool> servers)
        : text_(std::move(text)), servers_(std::move(servers)) {}

    [[nodiscard]] const std::string& text() const { return text_; }
    [[nodiscard]] bool selects(core::ServerId server) const { return servers_[server.index]; }
    [[nodiscard]] std::optional<std::int64_t> score(core::ServerId server) const override {
        return selects(server) ? std::optional<std::int64_t>(0) : std::nullopt;
    }
    [[nodiscard]] core::Members most(core::ServerId server, core::Members fit) const override {
        return selects(server) ? fit : 0;
    }

private:
    std::string text_;
    std::vector<bool> servers_;
};

}  // namespace berth::sim
