#include "workloads/failures/optimal_interval.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/support/assert.hpp"

namespace berth::workloads {
namespace {

using core::MachineType;
using core::Members;

double failures_of_server(const FailureModel& model,
                          const FailureCause& cause,
                          const MachineType& type) {
    if (!cause.machine_type.empty() && cause.machine_type != type.name) {
        return 0;
    }
    std::int64_t components = cause.device.empty() ? 1 : 0;
    for (const core::DeviceGroup& group : type.devices) {
        components += group.kind == cause.device ? group.count : 0;
    }
    const double lemons = model.lemons ? 1 + model.lemons->share * (model.lemons->factor - 1) : 1;
    return static_cast<double>(components) * lemons / cause.between.mean();
}

/// How many members of the job fit on an empty server, at most all of them.
Members members_on(const MachineType& type, const sim::Job& job) {
    Members most = job.per_server_max > 0 ? std::min(job.size, job.per_server_max) : job.size;
    for (std::size_t resource = 0; resource < job.demand.size(); ++resource) {
        if (job.demand[resource] > 0) {
            const auto capacity = type.capacity(static_cast<Eigen::Index>(resource));
            most = std::min<Members>(most, capacity / job.demand[resource]);
        }
    }
    return most;
}

}  // namespace

InterruptionRates::InterruptionRates(const FailureModel& model,
                                     std::shared_ptr<const core::Topology> tree)
    : tree_(std::move(tree)), types_(tree_->machine_types().size()) {
    for (std::uint32_t server = 0; server < tree_->server_count(); ++server) {
        ++types_[tree_->machine_type_index(core::ServerId{server})].servers;
    }
    for (const FailureCause& cause : model.causes) {
        if (cause.level != tree_->server_level()) {
            above_.emplace_back(static_cast<double>(tree_->level_size(cause.level)) /
                                    static_cast<double>(tree_->server_count()),
                                1 / cause.between.mean());
            continue;
        }
        for (std::size_t type = 0; type < types_.size(); ++type) {
            types_[type].rate += failures_of_server(model, cause, tree_->machine_types()[type]);
        }
    }
}

double InterruptionRates::of(const sim::Job& job) const {
    Members most = 0;
    for (std::size_t type = 0; type < types_.size(); ++type) {
        if (types_[type].servers > 0) {
            most = std::max(most, members_on(tree_->machine_types()[type], job));
        }
    }
    double candidates = 0;
    double rate = 0;
    for (std::size_t type = 0; type < types_.size(); ++type) {
        if (most == 0 || members_on(tree_->machine_types()[type], job) > 0) {
            candidates += types_[type].servers;
            rate += types_[type].servers * types_[type].rate;
        }
    }
    BERTH_ASSERT(candidates > 0, "a topology has servers");
    const Members each = std::max<Members>(most, 1);
    const Members wanted = (job.size + each - 1) / each;
    const double servers = std::min(static_cast<double>(wanted), candidates);
    double sum = servers * rate / candidates;
    for (const auto& [nodes_each, node_rate] : above_) {
        sum += std::ceil(servers * nodes_each) * node_rate;
    }
    return sum;
}

double optimal_interval(double takes, double between) {
    BERTH_ASSERT(takes > 0 && between > 0, "a write takes time, and so does what interrupts");
    if (takes >= 2 * between) {
        return between;
    }
    const double part = takes / (2 * between);
    return std::sqrt(2 * takes * between) * (1 + std::sqrt(part) / 3 + part / 9) - takes;
}

void set_optimal_interval(sim::Job& job, const InterruptionRates& rates) {
    if (!job.checkpoint || job.checkpoint->every > sim::SimTime(0)) {
        return;
    }
    constexpr double nanoseconds = 1e9;
    const double rate = rates.of(job);
    const double every =
        rate > 0 ? std::round(optimal_interval(sim::seconds(job.checkpoint->stall()), 1 / rate) *
                              nanoseconds)
                 : static_cast<double>(sim::never.count());
    // A write that goes on beside the work must be complete before the next one begins.
    const std::int64_t least = std::max<std::int64_t>(job.checkpoint->beside.count(), 1);
    job.checkpoint->every = every >= static_cast<double>(sim::never.count())
                                ? sim::never
                                : sim::SimTime(std::max(static_cast<std::int64_t>(every), least));
}

}  // namespace berth::workloads
