#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/index/server_rule.hpp"
#include "core/node_rules/node_affinity.hpp"
#include "sim/job/pod_template.hpp"
#include "sim/job/server_taints.hpp"

namespace berth::sim {

/// The servers on which a job's pods may run: as their own specs say (labels, affinity and
/// tolerations), and by the labels of the flavors that an admission gave them.
class NodeSelector final : public core::ServerRule {
public:
    /// `text` says what is asked for; its first line is for people. Two selectors with the same
    /// text select the same servers.
    NodeSelector(std::string text, std::vector<bool> servers)
        : text_(std::move(text)), servers_(std::move(servers)) {}
    /// Selects the servers that the pods' specs allow: those that have the labels which the specs
    /// ask for, and no taint that they do not tolerate.
    NodeSelector(std::string text,
                 std::vector<bool> labelled,
                 std::shared_ptr<const ServerTaints> taints,
                 core::PodNodeRules rules)
        : text_(std::move(text)),
          servers_(labelled),
          labelled_(std::move(labelled)),
          taints_(std::move(taints)),
          tainted_(taints_->untolerated(rules.tolerations)),
          rules_(std::move(rules)) {
        for (std::size_t i = 0; i < tainted_.size(); ++i) {
            servers_[i] = servers_[i] && !tainted_[i];
        }
    }

    /// Selects all `count` servers, and has the template of the pods, by which a scheduler decides.
    /// `text`: what the template says, so that equal texts stand for equal templates. `rules`: what
    /// it says about nodes, for an admission that asks for that.
    NodeSelector(const std::string& text,
                 std::size_t count,
                 std::shared_ptr<const PodTemplate> of_pods,
                 core::PodNodeRules rules)
        : text_('\n' + text),
          servers_(count, true),
          labelled_(servers_),
          rules_(std::move(rules)),
          template_(std::move(of_pods)) {}
    /// Selects the servers that both select. An admission that gives other flavors takes the part
    /// of_pods() of the result, and adds the labels of those flavors.
    static std::shared_ptr<const NodeSelector> both(std::shared_ptr<const NodeSelector> of_pods,
                                                    const NodeSelector& of_flavors) {
        std::vector<bool> servers = of_pods->servers_;
        for (std::size_t i = 0; i < servers.size(); ++i) {
            servers[i] = servers[i] && of_flavors.servers_[i];
        }
        const char* const and_own = of_pods->asked().empty() ? "" : "; ";
        NodeSelector selector(of_flavors.text_ + and_own + of_pods->text_, std::move(servers));
        selector.of_pods_ = std::move(of_pods);
        return std::make_shared<const NodeSelector>(std::move(selector));
    }
    /// The same pods with tolerations that an admission adds to those of their specs, which are the
    /// part of_pods() of the result. `of_pods`: a selector that specs ask for.
    static std::shared_ptr<const NodeSelector> tolerating(
        std::shared_ptr<const NodeSelector> of_pods, std::span<const core::Toleration> more) {
        core::PodNodeRules rules = *of_pods->rules_;
        std::string text = of_pods->text_ + "\nand tolerates ";
        for (const core::Toleration& one : more) {
            text += fmt::format(
                "{};{};{};{}\n", one.key, static_cast<int>(one.op), one.value, one.effect);
            rules.tolerations.push_back(one);
        }
        NodeSelector selector(
            std::move(text), of_pods->labelled_, of_pods->taints_, std::move(rules));
        selector.of_pods_ = std::move(of_pods);
        return std::make_shared<const NodeSelector>(std::move(selector));
    }
    /// The part of a selector that the pods' specs ask for; nullptr if they ask for nothing.
    static std::shared_ptr<const NodeSelector> of_pods(
        const std::shared_ptr<const NodeSelector>& one) {
        if (one == nullptr || one->of_pods_ == nullptr) {
            return one == nullptr || !one->rules_ ? nullptr : one;
        }
        return of_pods(one->of_pods_);
    }

    [[nodiscard]] const std::string& text() const { return text_; }
    /// The first line of the text, for people.
    [[nodiscard]] std::string asked() const { return text_.substr(0, text_.find('\n')); }
    [[nodiscard]] bool selects_nothing() const {
        return std::find(servers_.begin(), servers_.end(), true) == servers_.end();
    }
    [[nodiscard]] bool selects(core::ServerId server) const { return servers_[server.index]; }
    /// What the pods' specs say; nothing if the selector comes from flavors.
    [[nodiscard]] const std::optional<core::PodNodeRules>& rules() const { return rules_; }
    /// What the pods' specs say, for a scheduler that reads them itself; nullptr for any other.
    [[nodiscard]] const PodTemplate* pod_template() const { return template_.get(); }
    /// Why it does not select a server: what follows "3 node(s) ", in kube-scheduler's words where
    /// the specs are the reason.
    [[nodiscard]] std::string_view refusal(core::ServerId server) const {
        const NodeSelector* pods = pods_part();
        if (pods->selects(server) || !pods->rules_) {
            return "didn't have the labels of its flavors";
        }
        return pods->tainted_.empty() || !pods->tainted_[server.index]
                   ? "didn't match Pod's node affinity/selector"
                   : "had untolerated taint(s)";
    }
    /// The same for one server, with what is asked for.
    [[nodiscard]] std::string why_not(core::ServerId server) const {
        const NodeSelector* pods = pods_part();
        if (pods->selects(server) || !pods->rules_) {
            return "it has not the labels " + asked();
        }
        return pods->tainted_.empty() || !pods->tainted_[server.index]
                   ? "it didn't match Pod's node affinity/selector: " + pods->asked()
                   : std::string("it had untolerated taint(s)");
    }
    /// A selector for a larger cluster, in which `count` servers from the number `first` on are
    /// new. All of these are selected.
    [[nodiscard]] NodeSelector with_more(std::uint32_t first, std::uint32_t count) const {
        std::vector<bool> servers = servers_;
        servers.insert(servers.begin() + first, count, true);
        return {text_ + fmt::format("\nwith {} more at {}", count, first), std::move(servers)};
    }
    /// The selector if a server had what it asks for.
    [[nodiscard]] NodeSelector with(core::ServerId server) const {
        std::vector<bool> servers = servers_;
        servers[server.index] = true;
        return {text_ + fmt::format("\nwith {}", server.index), std::move(servers)};
    }
    /// Whether some servers have taints that pods do not tolerate.
    [[nodiscard]] bool meets_taints() const { return !tainted_.empty(); }
    /// The selector without what it asks of labels, and the one without what it asks of taints, for
    /// one that the pods' specs ask for.
    [[nodiscard]] NodeSelector whatever_labels() const {
        std::vector<bool> servers = tainted_;
        servers.resize(servers_.size());
        servers.flip();
        return {"whatever labels\n" + text_, std::move(servers)};
    }
    [[nodiscard]] NodeSelector whatever_taints() const {
        return {"whatever taints\n" + text_, labelled_};
    }
    [[nodiscard]] std::optional<std::int64_t> score(core::ServerId server) const override {
        return selects(server) ? std::optional<std::int64_t>(0) : std::nullopt;
    }
    [[nodiscard]] core::Members most(core::ServerId server, core::Members fit) const override {
        return selects(server) ? fit : 0;
    }

private:
    /// The part about labels and taints that pods ask for and tolerate; this, if there is no other.
    [[nodiscard]] const NodeSelector* pods_part() const {
        return rules_ || of_pods_ == nullptr ? this : of_pods_.get();
    }

    std::string text_;
    std::vector<bool> servers_;
    std::vector<bool> labelled_;  ///< Servers whose labels are those that specs ask for.
    std::shared_ptr<const ServerTaints> taints_;  ///< Set if the pods' specs ask for it.
    std::vector<bool> tainted_;                   ///< Empty: no server is tainted.
    std::optional<core::PodNodeRules> rules_;
    std::shared_ptr<const NodeSelector> of_pods_;  ///< Set by both() and tolerating().
    std::shared_ptr<const PodTemplate> template_;
};

}  // namespace berth::sim
