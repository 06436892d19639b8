#include "schedulers/slurm/decide/submission.hpp"

#include <algorithm>

namespace berth::core::slurm {
namespace {

/// A job that wants GPUs in all needs so many nodes at least.
void spread_gpus(Job& job, const Cluster& cluster) {
    if (job.gpus > 0) {
        std::size_t most = 1;
        for (const Node& node : cluster.nodes) {
            most = std::max(most, node.gpus.size());
        }
        const auto each = static_cast<std::int64_t>(most);
        job.min_nodes = std::max(job.min_nodes, (job.gpus + each - 1) / each);
    }
}

/// What the association of a job says, of its user or else of its account.
template <class Field>
const Field* said_by_association(const Job& job,
                                 const Cluster& cluster,
                                 Field AssociationTerms::* field) {
    const auto account = cluster.accounts.find(job.account);
    if (account == cluster.accounts.end()) {
        return nullptr;
    }
    const auto user = account->second.users.find(job.user);
    const bool is_of_user = user != account->second.users.end() && !(user->second.*field).empty();
    return is_of_user ? &(user->second.*field) : &(account->second.own.*field);
}

bool may_have_qos(const Job& job, const Cluster& cluster) {
    if (!cluster.configuration.qos_matters || job.qos.empty()) {
        return true;
    }
    const auto* const allowed = said_by_association(job, cluster, &AssociationTerms::qos);
    return allowed == nullptr || allowed->empty() || std::ranges::count(*allowed, job.qos) > 0;
}

/// What sbatch says to a job that it refuses, apart from jobs that no nodes could run.
std::string_view refusal_of(const Partition& partition, const Cluster& cluster, const Job& job) {
    if (partition.is_closed) {
        return "Required partition not available (inactive or drain)";
    }
    if (!cluster.qos.empty() && !job.qos.empty() &&
        (!cluster.qos.contains(job.qos) || !may_have_qos(job, cluster))) {
        return "Invalid qos specification";
    }
    const auto account = cluster.accounts.find(job.account);
    if (cluster.configuration.associations_matter && !cluster.accounts.empty() &&
        !job.account.empty() &&
        (account == cluster.accounts.end() || !account->second.users.contains(job.user))) {
        return "Invalid account or account/partition combination specified";
    }
    if (std::ranges::any_of(job.licenses, [&](const auto& each) {
            const auto found = cluster.licenses.find(each.first);
            return found == cluster.licenses.end() || found->second < each.second;
        })) {
        return "Invalid license specification";
    }
    if (cluster.configuration.limits_refuse && job.limit > partition.max_time) {
        return "Requested time limit is invalid (missing or exceeds some limit)";
    }
    if (cluster.configuration.limits_refuse &&
        (job.min_nodes > partition.max_nodes || job.max_nodes < partition.min_nodes)) {
        return "Node count specification invalid";
    }
    return "";
}

}  // namespace

std::optional<std::size_t> find_partition(const Cluster& cluster, std::string_view name) {
    const auto found = std::ranges::find_if(cluster.partitions, [&](const Partition& each) {
        return name.empty() ? each.is_default : each.name == name;
    });
    return found == cluster.partitions.end()
               ? std::nullopt
               : std::optional(static_cast<std::size_t>(found - cluster.partitions.begin()));
}

std::string_view submit_to_partition(Job& job, const Cluster& cluster) {
    const Partition& partition = cluster.partitions[job.partition];
    if (const auto* const qos = said_by_association(job, cluster, &AssociationTerms::default_qos);
        job.qos.empty() && qos != nullptr) {
        job.qos = *qos;
    }
    job.exclusive = job.exclusive || partition.exclusive;
    spread_gpus(job, cluster);
    job.is_beyond_partition = partition.is_down || job.limit > partition.max_time ||
                              job.min_nodes > partition.max_nodes ||
                              job.max_nodes < partition.min_nodes;
    const std::string_view refusal = refusal_of(partition, cluster, job);
    if (!job.is_beyond_partition) {
        job.min_nodes = std::max(job.min_nodes, partition.min_nodes);
        job.max_nodes = std::min(job.max_nodes, partition.max_nodes);
    }
    return refusal;
}

}  // namespace berth::core::slurm
