#include "schedulers/kube/run/nodes_and_pods.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <string_view>
#include <utility>

#include "core/support/assert.hpp"
#include "schedulers/kube/run/kube_objects_of_run.hpp"

namespace berth::sim {

namespace kube = core::kube;

using core::Members;
using core::ServerId;

std::uint64_t number_of(const kube::Pod& pod) {
    std::uint64_t number = 0;
    const std::string& text = pod.uid;
    const auto end = std::from_chars(text.data(), text.data() + text.size(), number).ptr;
    BERTH_ASSERT(end == text.data() + text.size() && !text.empty(), "a pod's uid is its number");
    return number;
}

namespace {

constexpr std::string_view outside_uid = "background ";

/// A pod that stands for what others have in use on a node, and that nobody preempts.
kube::Pod pod_from_outside(const kube::Node& node, core::Quantities amounts) {
    kube::Pod pod;
    pod.name = "background";
    pod.uid = std::string(outside_uid) + node.name;
    pod.priority = std::numeric_limits<std::int64_t>::max();
    pod.node_name = node.name;
    pod.containers.push_back({.name = "background",
                              .image = "",
                              .requests = std::move(amounts),
                              .ports = {},
                              .is_sidecar = false});
    return pod;
}

}  // namespace

NodesAndPods::NodesAndPods(const KubeSettings& settings, const Cluster& cluster)
    : settings_(settings),
      schema_(cluster.topology().resources()),
      owners_(settings.objects.owners) {
    const core::Ledger& ledger = cluster.ledger();
    for (std::size_t i = 0; i < settings.nodes.size(); ++i) {
        const ServerId server = settings.nodes[i].server;
        node_of_.emplace(server, i);
        server_of_.emplace(settings.nodes[i].node.name, server);
        if (!ledger.is_up(server)) {
            continue;
        }
        present_.push_back(i);
        std::vector<core::Amount> used(ledger.resource_count());
        for (std::size_t resource = 0; resource < used.size(); ++resource) {
            used[resource] = ledger.allocated(cluster.topology().node_of(server), resource);
        }
        note_outside(server, std::move(used));
    }
    make_cluster();
}

void NodesAndPods::note_outside(ServerId server, std::vector<core::Amount> amounts) {
    if (std::ranges::any_of(amounts, [](core::Amount amount) { return amount > 0; })) {
        outside_[server] = std::move(amounts);
    }
}

void NodesAndPods::make_cluster() {
    ++changes_;
    kube::ClusterObjects objects;
    objects.configuration = settings_.configuration;
    for (const std::size_t i : present_) {
        objects.nodes.push_back(settings_.nodes[i].node);
    }
    objects.namespaces = settings_.objects.namespaces;
    objects.owners = owners_;
    objects.devices = cluster_ == nullptr ? settings_.objects.devices : nullptr;
    for (const KubeBudget& budget : settings_.objects.budgets) {
        objects.budgets.push_back({budget.name_space, budget.pods, 0, {}});
    }
    for (const auto& [server, amounts] : outside_) {
        objects.pods.push_back(pod_from_outside(node(server), quantities_of(schema_, amounts)));
    }
    for (const auto& [number, pod] : nominated_) {
        objects.nominated.push_back(pod);
    }
    auto made = std::make_unique<kube::Cluster>(std::move(objects));
    if (cluster_ != nullptr && !present_.empty()) {
        made->next_start = cluster_->next_start % present_.size();
    }
    for (const kube::NodeState& old :
         cluster_ != nullptr ? cluster_->nodes() : std::vector<kube::NodeState>()) {
        for (const kube::CountedPod* counted : old.pods()) {
            if (counted->pod.uid.starts_with(outside_uid)) {
                continue;
            }
            const auto place = made->find(counted->pod.node_name);
            BERTH_ASSERT(place, "nobody runs on a server that has left");
            running_.at(number_of(counted->pod)).pod = &made->place(counted->pod, *place);
        }
    }
    if (cluster_ != nullptr) {
        made->take_claims(*cluster_);
    }
    cluster_ = std::move(made);
    decider_.emplace(*cluster_);
}

std::size_t NodesAndPods::position(ServerId server) const {
    const auto found = cluster_->find(node(server).name);
    BERTH_ASSERT(found, "a server with pods is there");
    return *found;
}

ServerId NodesAndPods::server(std::size_t position) const {
    const kube::Node& node = cluster_->nodes()[position].node();
    return server_of_.at(node.name);
}

const kube::Node& NodesAndPods::node(ServerId server) const {
    return settings_.nodes[node_of_.at(server)].node;
}

const kube::Pod& NodesAndPods::place(kube::Pod pod,
                                     std::uint64_t number,
                                     JobId job,
                                     ServerId server,
                                     kube::DeviceClaims::Reservation how) {
    ++changes_;
    pod.uid = fmt::format("{}", number);
    pod.node_name = node(server).name;
    pod.nominated_node.clear();
    nominated_.erase(number);
    const std::size_t node_position = position(server);
    cluster_->reserve_claims(pod, node_position, how);
    const kube::CountedPod& placed = cluster_->place(std::move(pod), node_position);
    running_[number] = {&placed, job, server};
    of_job_[job].push_back(number);
    return placed.pod;
}

void NodesAndPods::take_off(std::uint64_t number) {
    const auto running = running_.find(number);
    const auto& [pod, job, server] = running->second;
    cluster_->release_claims(pod->pod);
    cluster_->remove(*pod, position(server));
    ++changes_;
    running_.erase(running);
}

void NodesAndPods::remove(JobId job, ServerId server, Members count) {
    std::vector<std::uint64_t>& all = of_job_.at(job);
    std::vector<std::uint64_t> staying;
    for (auto number = all.rbegin(); number != all.rend(); ++number) {
        if (count > 0 && running_.at(*number).server == server) {
            take_off(*number);
            --count;
        } else {
            staying.push_back(*number);
        }
    }
    all.assign(staying.rbegin(), staying.rend());
}

bool NodesAndPods::remove_all(JobId job) {
    const auto pods = of_job_.extract(job);
    if (pods.empty()) {
        return false;
    }
    std::for_each(pods.mapped().rbegin(), pods.mapped().rend(), [this](std::uint64_t number) {
        take_off(number);
    });
    return true;
}

std::size_t NodesAndPods::count(JobId job) const {
    const auto all = of_job_.find(job);
    return all == of_job_.end() ? 0 : all->second.size();
}

std::map<ServerId, Members> NodesAndPods::servers_of(JobId job) const {
    std::map<ServerId, Members> servers;
    if (const auto all = of_job_.find(job); all != of_job_.end()) {
        for (const std::uint64_t number : all->second) {
            ++servers[running_.at(number).server];
        }
    }
    return servers;
}

std::vector<std::size_t> NodesAndPods::positions_of(const std::vector<JobId>& jobs) const {
    std::vector<std::size_t> positions;
    for (const JobId job : jobs) {
        for (const auto& one : servers_of(job)) {
            positions.push_back(position(one.first));
        }
    }
    return positions;
}

JobId NodesAndPods::job_of(const kube::Pod& pod) const {
    return running_.at(number_of(pod)).job;
}

void NodesAndPods::know(const kube::PodOwner& controller) {
    const bool is_known = std::ranges::any_of(owners_, [&](const kube::PodOwner& other) {
        return other.kind == controller.kind && other.name_space == controller.name_space &&
               other.name == controller.name;
    });
    if (!is_known) {
        owners_.push_back(controller);
        cluster_->add(controller);
    }
}

void NodesAndPods::nominate(kube::Pod pod) {
    ++changes_;
    nominated_.insert_or_assign(number_of(pod), pod);
    cluster_->withdraw(pod.uid);
    cluster_->nominate(std::move(pod));
}

void NodesAndPods::withdraw(std::uint64_t number) {
    if (nominated_.erase(number) > 0) {
        ++changes_;
        cluster_->withdraw(fmt::format("{}", number));
    }
}

void NodesAndPods::deallocate(const kube::Pod& pod, const kube::PodClaim& claim) {
    if (cluster_->claims().find(pod, claim) != nullptr) {
        ++changes_;
        cluster_->deallocate(pod, claim);
    }
}

std::string NodesAndPods::nominated_node(std::uint64_t number) const {
    const auto pod = nominated_.find(number);
    return pod == nominated_.end() ? "" : pod->second.nominated_node;
}

void NodesAndPods::leave(ServerId server) {
    std::erase(present_, node_of_.at(server));
    outside_.erase(server);
    make_cluster();
}

void NodesAndPods::come(ServerId server, const std::vector<core::Amount>& outside) {
    present_.push_back(node_of_.at(server));
    note_outside(server, outside);
    make_cluster();
}

}  // namespace berth::sim
