/// What a run shows of itself at each sample.

#include <algorithm>
#include <iterator>

#include "core/support/assert.hpp"
#include "sim/simulation.hpp"

namespace berth::sim {

std::vector<std::string> Simulation::sampled_metrics(const core::Topology& tree,
                                                     const Profile& profile) {
    std::vector<std::string> names{"pods_running", "pods_waiting"};
    for (const std::string& resource : tree.resources().names()) {
        names.push_back(resource + "_utilization");
        names.push_back(resource + "_requested");
        names.push_back(resource + "_stranded");
    }
    std::ranges::copy(sampled_inside(tree, profile), std::back_inserter(names));
    return names;
}

void Simulation::request_sample() {
    if (!sample_pending_) {
        sample_pending_ = true;
        events_.push(now_, EventKind::sample, 0);
    }
}

void Simulation::sample() {
    sample_pending_ = false;
    settle();
    std::vector<double> values{static_cast<double>(running_pods_),
                               static_cast<double>(waiting_pods_)};
    const core::NodeId root = ledger_.topology().root();
    for (std::size_t resource = 0; resource < ledger_.resource_count(); ++resource) {
        const double allocated = utilization_.allocated(resource);
        const auto capacity = static_cast<double>(ledger_.capacity(root)[resource]);
        values.push_back(allocated);
        values.push_back(allocated + (capacity > 0 ? waiting_demand_[resource] / capacity : 0));
        values.push_back(utilization_.stranded(resource));
    }
    if (inside_meter_) {
        inside_meter_->sample(values);
    }
    BERTH_AUDIT(values.size() == sampled_metrics(ledger_.topology(), settings_.profile).size(),
                "a sample has a value for each of its names");
    sink_.sample(now_, values);
    if (quotas_) {
        sink_.quota_sample(now_, *quotas_);
    }
    const bool more_to_come = !events_.empty() || settings_.until != never;
    if (settings_.sample_every > SimTime(0) && more_to_come) {
        if (const auto at = tick_from(now_ + SimTime(1), settings_.sample_every)) {
            sample_pending_ = true;
            events_.push(*at, EventKind::sample, 0);
        }
    }
}

}  // namespace berth::sim
