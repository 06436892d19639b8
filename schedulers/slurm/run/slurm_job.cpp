#include "schedulers/slurm/run/slurm_job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "schedulers/slurm/decide/submission.hpp"

namespace berth::sim {
namespace {

namespace slurm = core::slurm;

std::int64_t divided_up(std::int64_t amount, std::int64_t by) {
    return amount / by + (amount % by > 0 ? 1 : 0);
}

/// What one member asks for, in Slurm's units.
struct MemberSize {
    std::int64_t cpus = 1;
    std::optional<std::int64_t> memory_mib;
    std::int64_t gpus = 0;
    std::string gpu_type;
};

std::variant<MemberSize, std::string> member_of(const Job& job,
                                                const core::ResourceSchema& resources) {
    constexpr core::Amount mib = 1024 * 1024;
    MemberSize member;
    if (job.gpus != nullptr && job.gpus->models.size() > 1) {
        return "it takes GPUs of several models, and Slurm gives those of one, or any";
    }
    if (job.gpus != nullptr && !job.gpus->models.empty()) {
        member.gpu_type = job.gpus->models.front();
    }
    for (std::size_t i = 0; i < job.demand.size(); ++i) {
        const core::Amount amount = job.demand[i];
        const core::Amount unit = resources.per_unit(i);
        if (amount == 0) {
            continue;
        }
        if (resources.is_gpu(i) && amount % unit != 0) {
            return "it asks for a part of a GPU, which Slurm does not give";
        }
        if (resources.is_gpu(i)) {
            member.gpus += amount / unit;
        } else if (resources.name(i) == "cpu") {
            member.cpus = divided_up(amount, unit);
        } else if (resources.name(i) == "memory") {
            member.memory_mib = divided_up(amount, mib);
        } else {
            return fmt::format("it asks for {}, which this Slurm does not count",
                               resources.name(i));
        }
    }
    return member;
}

void set_size(const Job& job, const MemberSize& member, bool are_tasks, slurm::Job& out) {
    out.tasks = job.size;
    out.cpus_per_task = member.cpus;
    if (are_tasks && job.size > 1) {
        out.gpus = member.gpus * job.size;
        if (member.memory_mib) {
            out.memory_per_cpu_mib = divided_up(*member.memory_mib, member.cpus);
        }
        return;
    }
    out.min_nodes = out.max_nodes = job.size;
    out.tasks_per_node = 1;
    out.memory_mib = member.memory_mib;
    if (member.gpus > 0) {
        out.gpus_per_node = {{member.gpu_type, member.gpus}};
    }
}

/// The account of a job, by what its queue and its user say.
std::string account_of(const Job& job, const slurm::Cluster& cluster) {
    const std::string& queue = job.quota.text();
    if (cluster.accounts.contains(queue)) {
        return queue;
    }
    const std::string user(job.user.text());
    const auto found = std::ranges::find_if(
        cluster.accounts, [&](const auto& account) { return account.second.users.contains(user); });
    return found == cluster.accounts.end() ? "" : found->first;
}

/// The seconds of a job's time limit. A job without any is planned for a year, as in Slurm.
slurm::Seconds limit_of(const Job& job, const slurm::Partition& partition) {
    constexpr slurm::Seconds minute = 60;
    constexpr slurm::Seconds year = 365 * 86'400;
    if (job.estimate) {
        const std::int64_t seconds = divided_up(job.estimate->count(), 1'000'000'000);
        return std::max<std::int64_t>(1, divided_up(seconds, minute)) * minute;
    }
    return partition.default_time.value_or(std::min(partition.max_time, year));
}

}  // namespace

std::size_t partition_of(const Job& job, const slurm::Cluster& cluster) {
    const auto named = slurm::find_partition(cluster, job.quota.text());
    return named ? *named : slurm::find_partition(cluster, "").value_or(0);
}

std::optional<std::vector<slurm::ChosenNode>> nodes_of_members(
    const std::vector<core::ServerId>& servers,
    const SlurmSettings& settings,
    const slurm::Job& job) {
    std::map<std::size_t, std::int64_t> cpus;
    for (const core::ServerId server : servers) {
        const auto node = std::ranges::find(settings.servers, server);
        if (node == settings.servers.end()) {
            return std::nullopt;
        }
        cpus[static_cast<std::size_t>(node - settings.servers.begin())] += job.cpus_per_task;
    }
    std::vector<slurm::ChosenNode> nodes;
    for (const auto& [node, count] : cpus) {
        nodes.push_back({node, count});
    }
    return nodes;
}

std::variant<slurm::Job, std::string> SlurmJobs::submit(const Job& job) {
    const slurm::Cluster& cluster = settings_.cluster;
    const auto member = member_of(job, resources_);
    if (const auto* why = std::get_if<std::string>(&member)) {
        return *why;
    }
    if (settings_.members_are_tasks && job.size > 1 &&
        !std::get<MemberSize>(member).gpu_type.empty()) {
        return "it asks for GPUs of one model, which berth counts for nodes, and not for tasks";
    }
    slurm::Job out;
    out.partition = partition_of(job, cluster);
    out.user = job.user.text();
    out.account = account_of(job, cluster);
    out.limit = limit_of(job, cluster.partitions[out.partition]);
    set_size(job, std::get<MemberSize>(member), settings_.members_are_tasks, out);
    if (settings_.priorities_are_stated) {
        out.priority = std::max<std::int64_t>(job.priority, 1);
    }
    if (job.nodes != nullptr) {
        std::shared_ptr<const slurm::NodeSet>& allowed = allowed_[std::string(job.selector())];
        if (allowed == nullptr) {
            auto nodes = std::make_shared<slurm::NodeSet>(cluster.nodes.size());
            for (std::size_t node = 0; node < cluster.nodes.size(); ++node) {
                nodes->set(node, job.nodes->selects(settings_.servers[node]));
            }
            allowed = std::move(nodes);
        }
        out.allowed = allowed;
    }
    if (const std::string_view refusal = slurm::submit_to_partition(out, cluster);
        !refusal.empty()) {
        return fmt::format("Batch job submission failed: {}", refusal);
    }
    return out;
}

}  // namespace berth::sim
