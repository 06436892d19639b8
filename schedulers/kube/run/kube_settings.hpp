#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/tree/ids.hpp"
#include "schedulers/kube/decide/cluster.hpp"
#include "schedulers/kube/run/pod_groups.hpp"
#include "sim/clock/time.hpp"
#include "sim/scheduler/scheduler_settings.hpp"

namespace berth::sim {

/// A server of the run as a Node object.
struct KubeNode {
    core::kube::Node node;
    core::ServerId server;
};

/// A number of pods, or a percentage of them.
struct PodCount {
    std::int64_t number = 0;
    bool is_percentage = false;

    /// How many of `all` pods these are, rounded up.
    [[nodiscard]] std::int64_t of(std::int64_t all) const {
        return is_percentage ? (all * number + 99) / 100 : number;
    }
};

/// A PodDisruptionBudget. It states one of the two numbers, or none, and then allows nothing.
struct KubeBudget {
    std::string name_space;
    core::kube::LabelSelector pods;
    std::optional<PodCount> min_available;
    std::optional<PodCount> max_unavailable;
};

/// A PriorityClass.
struct KubePriorityClass {
    std::int32_t value = 0;
    bool is_default = false;  ///< It is that of pods that name none.
    bool never_preempts = false;
};

/// The objects of the cluster that count beside nodes and pods. All are in a namespace.
struct KubeClusterObjects {
    std::map<std::string, core::Labels> namespaces;
    std::vector<core::kube::PodOwner> owners;
    std::vector<KubeBudget> budgets;
    /// Devices, and claims for them; nullptr: claims of pods are not looked at.
    std::shared_ptr<const core::kube::DeviceInventory> devices;
    /// By name. The two of the system are always there.
    std::map<std::string, KubePriorityClass, std::less<>> priority_classes{
        {"system-cluster-critical", {2'000'000'000, false, false}},
        {"system-node-critical", {2'000'001'000, false, false}}};
};

/// kube-scheduler's configuration, and the nodes of the run in the order in which they were
/// created.
struct KubeSettings final : SchedulerSettings {
    [[nodiscard]] std::unique_ptr<Scheduler> make_scheduler(const Settings& settings,
                                                            RecordSink& sink,
                                                            Actions& actions) const override;
    [[nodiscard]] std::vector<std::string_view> tables() const override {
        return objects.devices != nullptr ? std::vector<std::string_view>{"claimed_devices.csv"}
                                          : std::vector<std::string_view>();
    }
    [[nodiscard]] std::string why_alone() const override {
        return gangs
                   ? "gangs cannot wait for pods that another scheduler has not admitted: expected "
                     "kube without gangs"
                   : "";
    }

    core::kube::Configuration configuration;
    SimTime initial_backoff = std::chrono::seconds(1);
    SimTime longest_backoff = std::chrono::seconds(10);
    std::vector<KubeNode> nodes;
    KubeClusterObjects objects;
    std::optional<GangSettings> gangs;  ///< Nothing: each pod is scheduled by itself.
};

}  // namespace berth::sim
