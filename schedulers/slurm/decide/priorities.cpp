#include "schedulers/slurm/decide/priorities.hpp"

#include <algorithm>
#include <numbers>

#include "core/support/assert.hpp"
#include "core/support/rounded_math.hpp"

namespace berth::core::slurm {
namespace {

double ratio(std::int64_t part, std::int64_t whole) {
    return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

Priorities::Priorities(const Cluster& cluster, Seconds start) : cluster_(cluster), decayed_(start) {
    for (const Node& node : cluster.nodes) {
        cpus_ += node.cpus();
    }
    for (const auto& [name, qos] : cluster.qos) {
        highest_qos_ = std::max(highest_qos_, qos.priority);
    }
    for (const Partition& partition : cluster.partitions) {
        highest_partition_ = std::max(highest_partition_, partition.priority_factor);
    }
}

bool Priorities::are_calculated() const {
    return cluster_.configuration.priority == PriorityType::multifactor;
}

std::int64_t Priorities::of_new(const Job& job) {
    const std::int64_t basic = next_--;
    if (job.priority) {
        return *job.priority;
    }
    return are_calculated() ? multifactor(job, job.submit) : basic;
}

std::int64_t Priorities::multifactor(const Job& job, Seconds now) const {
    const Configuration& conf = cluster_.configuration;
    const double age = std::min(1.0, ratio(std::max<Seconds>(0, now - job.submit), conf.max_age));
    const double size =
        (ratio(job.min_nodes, std::ssize(cluster_.nodes)) + ratio(job.cpus(), cpus_)) / 2;
    const auto qos = cluster_.qos.find(job.qos);
    const auto fair = fair_.find({job.account, job.user});
    double priority = static_cast<double>(conf.weight_age) * age;
    priority += static_cast<double>(conf.weight_job_size) * (conf.favor_small ? 1 - size : size);
    if (qos != cluster_.qos.end()) {
        priority +=
            static_cast<double>(conf.weight_qos) * ratio(qos->second.priority, highest_qos_);
    }
    priority += static_cast<double>(conf.weight_partition) *
                ratio(cluster_.partitions[job.partition].priority_factor, highest_partition_);
    if (fair != fair_.end()) {
        priority += static_cast<double>(conf.weight_fair_share) * fair->second;
    }
    // Sums such as 3333.3333 + 1666.6667 are whole numbers.
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(priority + 1e-9));
}

void Priorities::account(Seconds now, const std::map<Association, double>& cpu_seconds) {
    BERTH_ASSERT(now >= decayed_, "usage decays forwards in time");
    const Seconds half = cluster_.configuration.decay_half_life;
    if (half > 0) {
        const double halvings = static_cast<double>(now - decayed_) / static_cast<double>(half);
        const double factor = rounded_exp(-std::numbers::ln2 * halvings);
        for (auto& [association, used] : usage_) {
            used *= factor;
        }
    }
    for (const auto& [association, used] : cpu_seconds) {
        usage_[association] += used;
    }
    decayed_ = now;
    fair_ = fair_tree(cluster_.accounts, usage_);
}

}  // namespace berth::core::slurm
