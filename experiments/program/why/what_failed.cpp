#include "experiments/program/why/what_failed.hpp"

#include <algorithm>

namespace berth::experiments {
namespace {

bool was_on(const sim::Stints& stints, core::ServerId server) {
    return std::ranges::find(stints, server, &sim::Stint::server) != stints.end();
}

}  // namespace

std::optional<WhatFailed> taken_away(const core::Topology& tree,
                                     const sim::Settings& settings,
                                     const sim::Eviction& eviction,
                                     const sim::Stints& stints) {
    if (eviction.cause != sim::EvictionCause::node_failed) {
        return std::nullopt;
    }
    const auto change =
        std::ranges::find_if(settings.node_changes, [&](const sim::NodeChange& candidate) {
            return candidate.at == eviction.at && !candidate.up && was_on(stints, candidate.server);
        });
    if (change == settings.node_changes.end()) {
        return std::nullopt;
    }
    return WhatFailed{std::string(tree.name(tree.node_of(change->server))), {}};
}

std::optional<WhatFailed> failed_under(const core::Topology& tree,
                                       const sim::Settings& settings,
                                       const sim::Outage& outage,
                                       const sim::Eviction& eviction,
                                       const sim::Stints& stints) {
    const core::Level level = tree.level_of(outage.node);
    const bool holds = std::ranges::any_of(stints, [&](const sim::Stint& stint) {
        return tree.ancestor(tree.node_of(stint.server), level) == outage.node;
    });
    if (eviction.cause != sim::EvictionCause::node_failed ||
        outage.at + settings.detection != eviction.at || !holds) {
        return std::nullopt;
    }
    return WhatFailed{outage.component, settings.failure_causes[outage.cause]};
}

}  // namespace berth::experiments
