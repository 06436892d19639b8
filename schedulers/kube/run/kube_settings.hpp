#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "core/tree/ids.hpp"
#include "schedulers/kube/decide/cluster.hpp"
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
                                                            Actions& actions) const override;
    [[nodiscard]] std::string_view name() const override { return "kube-scheduler"; }

    core::kube::Configuration configuration;
    std::vector<KubeNode> nodes;
};

}  // namespace berth::sim
