#include "experiments/program/config/kueue/without_effect.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace berth::experiments {
namespace {

namespace kueue = core::kueue;

using core::Diagnostics;

/// Admission fair sharing needs three kinds of objects that say so; where one of them does not,
/// Kueue orders jobs as if none did.
void warn_of_usage_that_counts_nowhere(const sim::KueueSettings& settings,
                                       const KueuePlacesInFiles& places,
                                       std::string_view where,
                                       Diagnostics& diagnostics) {
    const auto& queues = settings.cache.queues;
    const auto shares = std::ranges::find_if(queues, &kueue::ClusterQueue::shares_by_usage);
    const core::Value* sharing = places.admission_fair_sharing;
    if (sharing == nullptr && shares != queues.end()) {
        diagnostics.warning(
            places.queues.at(shares->name),
            fmt::format("ClusterQueue {}: UsageBasedAdmissionFairSharing has no effect, since no "
                        "Configuration {} turns admissionFairSharing on: add it",
                        shares->name,
                        where));
    } else if (sharing != nullptr && shares == queues.end()) {
        diagnostics.warning(
            sharing->span,
            fmt::format("admissionFairSharing has no effect, since no ClusterQueue {} has "
                        "admissionScope: {{admissionMode: UsageBasedAdmissionFairSharing}}: add it "
                        "to those whose usage is to count",
                        where));
    } else if (sharing != nullptr && settings.local_queues.empty()) {
        diagnostics.warning(
            sharing->span,
            fmt::format("admissionFairSharing has no effect, since usage is counted by LocalQueue "
                        "and none is {}: add LocalQueues, which the quota of jobs then names",
                        where));
    }
}

/// Weights of fair sharing are often exported without the Configuration that turns it on.
void warn_of_weights(const sim::KueueSettings& settings,
                     const KueuePlacesInFiles& places,
                     std::string_view where,
                     Diagnostics& diagnostics) {
    if (!settings.cache.configuration.fair_strategies.empty()) {
        return;
    }
    const auto warn_of_first = [&](const auto& objects, const auto& spans, std::string_view kind) {
        const auto weighs = [](const auto& one) { return one.weight != 1; };
        const auto found = std::ranges::find_if(objects, weighs);
        if (found != objects.end()) {
            diagnostics.warning(
                spans.at(found->name),
                fmt::format("{} {}: its fairSharing.weight has no effect, since no Configuration "
                            "{} turns fairSharing on: add it",
                            kind,
                            found->name,
                            where));
        }
        return found != objects.end();
    };
    (void)(warn_of_first(settings.cache.queues, places.queues, "ClusterQueue") ||
           warn_of_first(settings.cache.cohorts, places.cohorts, "Cohort"));
}

/// A resource that no server has is often another one's name with a mistake in it. Kueue counts
/// pods itself.
void warn_of_resources(const sim::KueueSettings& settings,
                       const KueuePlacesInFiles& places,
                       const core::Topology& tree,
                       Diagnostics& diagnostics) {
    std::set<std::string> told{"pods"};
    for (const kueue::ClusterQueue& queue : settings.cache.queues) {
        for (const kueue::ResourceGroup& group : queue.groups) {
            for (const kueue::ResourceId resource : group.resources) {
                const std::string& name = settings.cache.names[resource];
                if (!tree.resources().find(name) && told.insert(name).second) {
                    diagnostics.warning(
                        places.queues.at(queue.name),
                        fmt::format("ClusterQueue {} has quota of {}, which no server has: no job "
                                    "of the run uses it",
                                    queue.name,
                                    name));
                }
            }
        }
    }
}

}  // namespace

void warn_of_what_has_no_effect(const sim::KueueSettings& settings,
                                const KueuePlacesInFiles& places,
                                const core::Topology* tree,
                                std::string_view where,
                                Diagnostics& diagnostics) {
    warn_of_usage_that_counts_nowhere(settings, places, where, diagnostics);
    warn_of_weights(settings, places, where, diagnostics);
    if (tree != nullptr) {
        warn_of_resources(settings, places, *tree, diagnostics);
    }
}

}  // namespace berth::experiments
