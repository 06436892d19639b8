#include "schedulers/kueue/run/flavor_nodes.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "core/support/text.hpp"

namespace berth::sim {

namespace kueue = core::kueue;

FlavorNodes::FlavorNodes(const Flavors& flavors, const core::Topology& topology)
    : flavors_(flavors), topology_(topology), knows_labels_(core::knows_labels(topology)) {}

std::shared_ptr<const NodeSelector> FlavorNodes::of(
    const std::set<kueue::FlavorId>& flavors, const std::shared_ptr<const NodeSelector>& own) {
    const auto [at, fresh] =
        selectors_.try_emplace({flavors, own != nullptr ? own->text() : std::string()});
    if (fresh) {
        const auto of_flavors = knows_labels_ ? of_labels(flavors) : nullptr;
        const std::vector<core::Toleration> more = tolerations_of(flavors);
        const auto pods = own != nullptr && own->meets_taints() && !more.empty()
                              ? NodeSelector::tolerating(own, more)
                              : own;
        at->second = pods == nullptr         ? of_flavors
                     : of_flavors == nullptr ? pods
                                             : NodeSelector::both(pods, *of_flavors);
    }
    return at->second;
}

std::vector<core::Toleration> FlavorNodes::tolerations_of(
    const std::set<kueue::FlavorId>& flavors) const {
    std::vector<core::Toleration> all;
    for (const kueue::FlavorId flavor : flavors) {
        if (const auto found = flavors_.find(flavor); found != flavors_.end()) {
            const auto& of_flavor = found->second.tolerations;
            all.insert(all.end(), of_flavor.begin(), of_flavor.end());
        }
    }
    return all;
}

AddedToPods FlavorNodes::added_by(const std::set<kueue::FlavorId>& flavors) const {
    AddedToPods added{{}, tolerations_of(flavors)};
    for (const kueue::FlavorId flavor : flavors) {
        if (const auto found = flavors_.find(flavor); found != flavors_.end()) {
            const core::Labels& labels = found->second.node_labels;
            added.node_selector.insert(labels.begin(), labels.end());
        }
    }
    return added;
}

std::shared_ptr<const NodeSelector> FlavorNodes::of_labels(
    const std::set<kueue::FlavorId>& flavors) const {
    std::vector<bool> servers(topology_.server_count(), true);
    std::set<std::string> labels;
    for (const kueue::FlavorId flavor : flavors) {
        const auto found = flavors_.find(flavor);
        if (found == flavors_.end()) {
            continue;
        }
        const core::Labels& of_flavor = found->second.node_labels;
        const std::vector<bool> with = core::servers_with(topology_, of_flavor);
        for (std::size_t i = 0; i < servers.size(); ++i) {
            servers[i] = servers[i] && with[i];
        }
        for (const auto& [key, value] : of_flavor) {
            labels.insert(fmt::format("{}={}", key, value));
        }
    }
    return labels.empty()
               ? nullptr
               : std::make_shared<const NodeSelector>(core::join(labels, ","), std::move(servers));
}

}  // namespace berth::sim
