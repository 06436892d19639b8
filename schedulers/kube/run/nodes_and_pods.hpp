#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "schedulers/kube/decide/decider.hpp"
#include "schedulers/kube/run/kube_settings.hpp"
#include "sim/cluster/cluster.hpp"
#include "sim/job/job_state.hpp"

namespace berth::sim {

/// The number of a pod of a run, which is its uid.
[[nodiscard]] std::uint64_t number_of(const core::kube::Pod& pod);

/// The nodes of a run that are there, and the pods on them, as kube-scheduler sees them.
///
/// Cost: that of core::kube::Cluster; a node that leaves or comes costs a look at all pods.
class NodesAndPods {
public:
    /// What is in use on the servers of `cluster` now belongs to nobody. Both outlive this.
    NodesAndPods(const KubeSettings& settings, const Cluster& cluster);

    [[nodiscard]] core::kube::Cluster& cluster() { return *cluster_; }
    /// Decides for cluster().
    [[nodiscard]] core::kube::Decider& decider() { return *decider_; }
    /// The server of a node, by its position in cluster().
    [[nodiscard]] core::ServerId server(std::size_t position) const;
    /// The Node object of a server.
    [[nodiscard]] const core::kube::Node& node(core::ServerId server) const;

    /// A pod with this number runs for a job on a server from now on, or did before the run.
    /// Returns: the pod as it is there.
    const core::kube::Pod& place(
        core::kube::Pod pod,
        std::uint64_t number,
        JobId job,
        core::ServerId server,
        core::kube::DeviceClaims::Reservation how = core::kube::DeviceClaims::Reservation::bound);
    /// So many pods of the job leave a server, or all of them leave all servers, those that came
    /// last first. The latter returns whether there were any. Cost: O(pods of the job).
    void remove(JobId job, core::ServerId server, core::Members count);
    bool remove_all(JobId job);
    /// How many pods of a job have nodes, and how many on each server.
    [[nodiscard]] std::size_t count(JobId job) const;
    [[nodiscard]] std::map<core::ServerId, core::Members> servers_of(JobId job) const;
    /// The positions in cluster() of the nodes of these jobs' pods, each node once for each job.
    [[nodiscard]] std::vector<std::size_t> positions_of(const std::vector<JobId>& jobs) const;
    /// The job of a running pod.
    [[nodiscard]] JobId job_of(const core::kube::Pod& pod) const;

    /// Pods that this object controls may come, unless it is known already.
    void know(const core::kube::PodOwner& controller);

    /// A pod waits for its nominated node, or no longer does, if it did.
    void nominate(core::kube::Pod pod);
    void withdraw(std::uint64_t number);
    /// The node for which a pod waits; empty if it waits for none.
    [[nodiscard]] std::string nominated_node(std::uint64_t number) const;

    /// Takes the devices from a claim of a pod, unless it has lost them already. Nobody uses it.
    void deallocate(const core::kube::Pod& pod, const core::kube::PodClaim& claim);

    /// A server leaves, with none of these pods on it; or it comes, with this much in use from
    /// outside.
    void leave(core::ServerId server);
    void come(core::ServerId server, const std::vector<core::Amount>& outside);

    /// Grows with each change of nodes, pods and nominations. What is only tried does not count.
    [[nodiscard]] std::uint64_t changes() const { return changes_; }

private:
    struct Running {
        const core::kube::CountedPod* pod = nullptr;
        JobId job;
        core::ServerId server;
    };
    void make_cluster();
    [[nodiscard]] std::size_t position(core::ServerId server) const;
    void take_off(std::uint64_t number);
    void note_outside(core::ServerId server, std::vector<core::Amount> amounts);

    const KubeSettings& settings_;
    const core::ResourceSchema& schema_;
    std::map<core::ServerId, std::size_t> node_of_;  ///< The index of each server in the settings.
    std::unordered_map<std::string, core::ServerId> server_of_;  ///< By the names of nodes.
    std::vector<std::size_t> present_;  ///< Nodes by that index, in the order in which they came.
    std::map<core::ServerId, std::vector<core::Amount>> outside_;
    std::map<std::uint64_t, Running> running_;  ///< By the number of the pod.
    std::map<JobId, std::vector<std::uint64_t>> of_job_;
    std::map<std::uint64_t, core::kube::Pod> nominated_;
    std::vector<core::kube::PodOwner> owners_;
    std::unique_ptr<core::kube::Cluster> cluster_;
    std::optional<core::kube::Decider> decider_;  ///< Always set.
    std::uint64_t changes_ = 0;
};

}  // namespace berth::sim
