#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/index/server_rule.hpp"
#include "core/node_rules/node_affinity.hpp"

namespace berth::sim {

/// The servers on which a job's pods may run: as their own specs say (labels, affinity and
/// tolerations), and by the labels of the flavors that Kueue gave them.
class NodeSelector final : public core::ServerRule {
public:
    /// `text` says what is asked for; its first line is for people. Two selectors with the same
    /// text select the same servers.
    NodeSelector(std::string text, std::vector<bool> servers)
        : text_(std::move(text)), servers_(std::move(servers)) {}
    /// Selects the servers that the pods' specs allow. `tainted` tells, by server, whether it has a
    /// taint that the pods do not tolerate; no such server is among `servers`.
    NodeSelector(std::string text,
                 std::vector<bool> servers,
                 std::vector<bool> tainted,
                 core::PodNodeRules rules)
        : text_(std::move(text)),
          servers_(std::move(servers)),
          tainted_(std::move(tainted)),
          rules_(std::move(rules)) {}

    /// Selects the servers that both select. When Kueue gives other flavors, it takes the part
    /// of_pods() of the result, and adds the labels of those flavors.
    static std::shared_ptr<const NodeSelector> both(std::shared_ptr<const NodeSelector> of_pods,
                                                    const NodeSelector& of_flavors) {
        std::vector<bool> servers = of_pods->servers_;
        for (std::size_t i = 0; i < servers.size(); ++i) {
            servers[i] = servers[i] && of_flavors.servers_[i];
        }
        NodeSelector selector(of_flavors.text_ + "; " + of_pods->text_, std::move(servers));
        selector.of_pods_ = std::move(of_pods);
        return std::make_shared<const NodeSelector>(std::move(selector));
    }
    /// The part of a selector that the pods' specs ask for; nullptr if they ask for nothing.
    static std::shared_ptr<const NodeSelector> of_pods(
        const std::shared_ptr<const NodeSelector>& one) {
        return one == nullptr || one->rules_ ? one : one->of_pods_;
    }

    [[nodiscard]] const std::string& text() const { return text_; }
    [[nodiscard]] bool selects_nothing() const {
        return std::find(servers_.begin(), servers_.end(), true) == servers_.end();
    }
    [[nodiscard]] bool selects(core::ServerId server) const { return servers_[server.index]; }
    /// What the pods' specs say; nothing if the selector comes from flavors.
    [[nodiscard]] const std::optional<core::PodNodeRules>& rules() const { return rules_; }
    /// Why it does not select a server, in kube-scheduler's words where the specs are the reason.
    [[nodiscard]] std::string why_not(core::ServerId server) const {
        const NodeSelector* pods = of_pods_ != nullptr ? of_pods_.get() : this;
        if (pods->selects(server) || !pods->rules_) {
            return "it has not the labels " + text_.substr(0, text_.find('\n'));
        }
        return pods->tainted_.empty() || !pods->tainted_[server.index]
                   ? "it didn't match Pod's node affinity/selector: " +
                         pods->text_.substr(0, pods->text_.find('\n'))
                   : std::string("it had untolerated taint(s)");
    }
    [[nodiscard]] std::optional<std::int64_t> score(core::ServerId server) const override {
        return selects(server) ? std::optional<std::int64_t>(0) : std::nullopt;
    }
    [[nodiscard]] core::Members most(core::ServerId server, core::Members fit) const override {
        return selects(server) ? fit : 0;
    }

private:
    std::string text_;
    std::vector<bool> servers_;
    std::vector<bool> tainted_;  ///< Empty: no server is tainted.
    std::optional<core::PodNodeRules> rules_;
    std::shared_ptr<const NodeSelector> of_pods_;  ///< Set by both().
};

}  // namespace berth::sim
