#include "sim/kueue/flavor_nodes.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "core/support/text.hpp"

namespace berth::sim {

namespace kueue = core::kueue;

FlavorNodes::FlavorNodes(const Flavors& flavors, const core::Topology& topology)
    : flavors_(flavors), topology_(topology), knows_labels_(core::knows_labels(topology)) {}

std::shared_ptr<const NodeSelector> FlavorNodes::of(const std::set<kueue::FlavorId>& flavors) {
    const auto [at, fresh] = selectors_.try_emplace(flavors);
    if (!fresh || !knows_labels_) {
        return at->second;
    }
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
    if (!labels.empty()) {
        at->second =
            std::make_shared<const NodeSelector>(core::join(labels, ","), std::move(servers));
    }
    return at->second;
}

}  // namespace berth::sim
