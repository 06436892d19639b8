#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include "core/tree/ids.hpp"
#include "schedulers/kube/decide/cluster.hpp"
#include "sim/clock/time.hpp"
#include "sim/scheduler/scheduler_settings.hpp"

namespace berth::sim {

/// A server of the run as a Node object.
struct KubeNode {
    core::kube::Node node;
    core::ServerId server;
};

/// kube-scheduler's configuration, and the nodes of the run in the order in which they were
/// created.
struct KubeSettings final : SchedulerSettings {
    [[nodiscard]] std::unique_ptr<Scheduler> make_scheduler(const Settings& settings,
                                                            RecordSink& sink,
                                                            Actions& actions) const override;

    core::kube::Configuration configuration;
    SimTime initial_backoff = std::chrono::seconds(1);
    SimTime longest_backoff = std::chrono::seconds(10);
    std::vector<KubeNode> nodes;
};

}  // namespace berth::sim
