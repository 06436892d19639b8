#include "schedulers/kueue/documents/read_kueue_configuration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <set>
#include <vector>

#include "core/support/text.hpp"
#include "experiments/program/config/cluster/served_resources.hpp"
#include "experiments/program/config/document/fields.hpp"

namespace berth::experiments {
namespace {

namespace kueue = core::kueue;
using core::Diagnostics;
using core::MapReader;
using core::Value;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr sim::WaitForPodsReady default_wait{
    .timeout = minutes(30), .backoff = seconds(60), .most = seconds(3600), .give_up_after = {}};

void read_requeuing(const Value& value,
                    sim::WaitForPodsReady& wait,
                    sim::KueueSettings& settings,
                    Diagnostics& diagnostics) {
    MapReader map(value, "requeuingStrategy", diagnostics);
    settings.cache.configuration.requeue_by_eviction =
        map.choice("timestamp", {"Eviction", "Creation"}, 0) == 0;
    wait.backoff = seconds(map.integer("backoffBaseSeconds", 60, 0, 1'000'000'000));
    wait.most = seconds(map.integer("backoffMaxSeconds", 3600, 0, 1'000'000'000));
    if (map.take("backoffLimitCount") != nullptr) {
        wait.give_up_after =
            static_cast<std::uint32_t>(map.integer("backoffLimitCount", 0, 0, INT32_MAX));
    }
    map.report_unknown_keys();
}

void read_wait_for_pods_ready(const Value& value,
                              bool older,
                              sim::KueueSettings& settings,
                              Diagnostics& diagnostics) {
    MapReader map(value, "waitForPodsReady", diagnostics);
    sim::WaitForPodsReady wait = default_wait;
    if (older) {
        wait.timeout = minutes(5);
    }
    const bool enabled = !older || map.boolean("enable", false);
    wait.timeout = read_duration(map, "timeout").value_or(wait.timeout);
    // A group whose pods were ready once and are replaced gets the same time again.
    const auto recovery = read_duration(map, "recoveryTimeout");
    if (recovery && *recovery != wait.timeout) {
        expected(*value.find("recoveryTimeout"),
                 "as long as timeout, since another one is not modelled",
                 diagnostics);
    }
    if (map.boolean("blockAdmission", false)) {
        expected(*value.find("blockAdmission"), "false, since it is not modelled", diagnostics);
    }
    if (const Value* requeuing = map.take("requeuingStrategy")) {
        read_requeuing(*requeuing, wait, settings, diagnostics);
    }
    map.report_unknown_keys();
    if (enabled) {
        settings.pods_ready = wait;
    }
}

void read_fair_sharing(const Value& value,
                       bool older,
                       kueue::Configuration& configuration,
                       Diagnostics& diagnostics) {
    MapReader map(value, "fairSharing", diagnostics);
    const bool enabled = !older || map.boolean("enable", false);
    std::vector<kueue::FairStrategy> strategies;
    if (const Value* list = map.take("preemptionStrategies")) {
        for (const Value& item : list->items) {
            if (item.text == "LessThanOrEqualToFinalShare") {
                strategies.push_back(kueue::FairStrategy::less_or_equal_to_final_share);
            } else if (item.text == "LessThanInitialShare") {
                strategies.push_back(kueue::FairStrategy::less_than_initial_share);
            } else {
                expected(item, "LessThanOrEqualToFinalShare or LessThanInitialShare", diagnostics);
            }
        }
    }
    map.report_unknown_keys();
    if (strategies.empty()) {
        strategies = {kueue::FairStrategy::less_or_equal_to_final_share,
                      kueue::FairStrategy::less_than_initial_share};
    }
    if (enabled) {
        configuration.fair_strategies = std::move(strategies);
    }
}

void read_admission_fair_sharing(const Value& value,
                                 sim::KueueSettings& settings,
                                 Diagnostics& diagnostics) {
    MapReader map(value, "admissionFairSharing", diagnostics);
    (void)map.need("usageHalfLifeTime");
    kueue::AdmissionFairSharing sharing;
    sharing.half_life = read_duration(map, "usageHalfLifeTime").value_or(sim::SimTime(0));
    const sim::SimTime sampling =
        read_duration(map, "usageSamplingInterval").value_or(sim::SimTime(0));
    if (sampling.count() > 0) {  // Kueue also uses its default for 0
        sharing.sampling = sampling;
    }
    if (const Value* weights = map.take("resourceWeights")) {
        constexpr double most = 1e9;
        MapReader of_resources(*weights, "resourceWeights", diagnostics);
        for (const core::Member& member : weights->members) {
            sharing.resource_weights[member.key] = of_resources.number(member.key, 1, 0, most);
        }
    }
    map.report_unknown_keys();
    if (settings.cache.configuration.gates[kueue::FeatureGate::admission_fair_sharing]) {
        settings.cache.configuration.admission_fair_sharing = true;
        settings.admission_fair_sharing = std::move(sharing);
    }
}

void read_feature_gates(const Value& value, kueue::FeatureGates& gates, Diagnostics& diagnostics) {
    if (!value.is_map()) {
        expected(value, "a map from feature gates to true or false", diagnostics);
    }
    for (const core::Member& member : value.members) {
        const auto open = read_boolean(member.value, diagnostics);
        if (const auto gate = kueue::find_feature_gate(member.key); gate && open) {
            gates.set(*gate, *open);
            continue;
        }
        std::vector<std::string> names;
        for (const std::string_view name : kueue::feature_gate_names()) {
            names.emplace_back(name);
        }
        diagnostics.warning(member.key_span,
                            fmt::format("Kueue has no feature gate '{}'{}",
                                        member.key,
                                        core::suggestion(member.key, names)));
    }
    if (const std::string mend = gates.what_to_mend(); !mend.empty()) {
        expected(value, mend, diagnostics);
    }
}

void read_resources(const Value& value,
                    kueue::Configuration& configuration,
                    Diagnostics& diagnostics) {
    MapReader map(value, "resources", diagnostics);
    configuration.ignore_undeclared =
        map.choice("quotaCheckStrategy", {"BlockUndeclared", "IgnoreUndeclared"}, 0) == 1;
    for (const char* key : {"excludeResourcePrefixes", "transformations", "deviceClassMappings"}) {
        const Value* given = map.take(key);
        if (given != nullptr && !given->items.empty()) {
            expected(*given, "none, since it is not modelled", diagnostics);
        }
    }
    map.report_unknown_keys();
}

/// Admission fair sharing needs three kinds of objects that enable it. If one of them does not,
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

/// Warns about weights of fair sharing, which are often exported without the Configuration that
/// turns it on.
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

/// Warns about quotas for resources that no server has: often the name has a mistake. Kueue itself
/// counts `pods`.
void warn_of_resources(const sim::KueueSettings& settings,
                       const KueuePlacesInFiles& places,
                       const core::Topology& tree,
                       Diagnostics& diagnostics) {
    const ServedResources served(tree);
    std::set<std::string> told{"pods"};
    for (const kueue::ClusterQueue& queue : settings.cache.queues) {
        for (const kueue::ResourceGroup& group : queue.groups) {
            for (const kueue::ResourceId resource : group.resources) {
                const std::string& name = settings.cache.names[resource];
                if (!served.has(name) && told.insert(name).second) {
                    diagnostics.warning(
                        places.queues.at(queue.name),
                        fmt::format("ClusterQueue {} has quota of {}, which no server has: no job "
                                    "of the run uses it{}",
                                    queue.name,
                                    name,
                                    served.hint(name)));
                }
            }
        }
    }
}

}  // namespace

void set_kueue_defaults(sim::KueueSettings& settings) {
    settings.pods_ready = default_wait;
}

void read_kueue_configuration(const Value& document,
                              sim::KueueSettings& settings,
                              Diagnostics& diagnostics) {
    MapReader map(document, "Kueue's Configuration", diagnostics);
    const bool older = map.text("apiVersion", "") != "config.kueue.x-k8s.io/v1beta2";
    for (const char* key : {"kind",
                            "metadata",
                            "namespace",
                            "health",
                            "metrics",
                            "webhook",
                            "leaderElection",
                            "controller",
                            "clientConnection",
                            "integrations",
                            "internalCertManagement",
                            "manageJobsWithoutQueueName",
                            "managedJobsNamespaceSelector",
                            "queueVisibility",
                            "multiKueue",
                            "objectRetentionPolicies",
                            "pprofBindAddress",
                            "visibilityServer",
                            "tls"}) {
        (void)map.take(key);  // no part in decisions
    }
    kueue::Configuration& configuration = settings.cache.configuration;
    if (const Value* gates = map.take("featureGates")) {
        read_feature_gates(*gates, configuration.gates, diagnostics);
    }
    if (const Value* fair = map.take("fairSharing")) {
        read_fair_sharing(*fair, older, configuration, diagnostics);
    }
    if (const Value* resources = map.take("resources")) {
        read_resources(*resources, configuration, diagnostics);
    }
    settings.pods_ready.reset();
    if (const Value* wait = map.take("waitForPodsReady")) {
        read_wait_for_pods_ready(*wait, older, settings, diagnostics);
    } else if (!older) {
        settings.pods_ready = default_wait;
    }
    if (configuration.gates[kueue::FeatureGate::disable_wait_for_pods_ready]) {
        settings.pods_ready.reset();
    }
    if (const Value* fair = map.take("admissionFairSharing")) {
        read_admission_fair_sharing(*fair, settings, diagnostics);
    }
    map.report_unknown_keys();
}

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
