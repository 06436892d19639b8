#include "sim/measure/measures.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/support/assert.hpp"
#include "sim/cluster/service_resource.hpp"

namespace berth::sim {

using core::Members;

std::vector<std::string> sampled_metrics(const core::Topology& tree, const Profile& profile) {
    std::vector<std::string> names{"pods_running", "pods_waiting"};
    for (const std::string& resource : tree.resources().names()) {
        names.push_back(resource + "_utilization");
        names.push_back(resource + "_requested");
        names.push_back(resource + "_stranded");
    }
    std::ranges::copy(sampled_inside(tree, profile.inside), std::back_inserter(names));
    return names;
}

Measures::Measures(Cluster& cluster, const Settings& settings)
    : settings_(settings),
      ledger_(cluster.ledger()),
      cluster_(cluster),
      utilization_(ledger_, settings.window),
      metrics_(cluster.topology(), settings.attainable, settings.window),
      job_metrics_(cluster.topology(), settings.window),
      service_resource_(service_resource(ledger_)),
      waiting_demand_(ledger_.resource_count()) {}

void Measures::begin(Scheduler& scheduler) {
    scheduler_ = &scheduler;
    if (GpuTimeLedger::has_gpus(cluster_.topology())) {
        gpu_time_.emplace(cluster_, settings_.window, settings_.left_out());
    }
    inside_ = cluster_.inside().meter(settings_.window);
}

void Measures::submitted(const Job& job) const {
    if (inside_) {
        inside_->submitted(job);
    }
}

void Measures::granted(const Job& job, const Grant& grant) const {
    if (inside_) {
        inside_->granted(job, grant);
    }
}

void Measures::not_started(const Job& job, std::uint32_t refusing_servers) const {
    if (inside_) {
        inside_->without_place(job, refusing_servers);
    }
}

void Measures::count_waiting(const Job& job, Members pods) {
    for (std::size_t resource = 0; resource < job.demand.size(); ++resource) {
        waiting_demand_[resource] +=
            static_cast<double>(pods) * static_cast<double>(job.demand[resource]);
    }
    BERTH_ASSERT(pods > 0 || std::cmp_greater_equal(waiting_pods_, -pods),
                 "no more pods stop waiting than waited");
    waiting_pods_ += static_cast<std::size_t>(pods);
}

void Measures::waits(JobId id, const JobState& state) {
    count_waiting(state.job(), state.job().size);
    if (gpu_time_) {
        gpu_time_->waits(state.entry, state.job(), id);
    }
}

void Measures::leaves_queue(const JobState& state) {
    count_waiting(state.job(), -state.job().size);
    if (gpu_time_) {
        gpu_time_->leaves(state.entry, state.job());
    }
}

void Measures::members_run(Members more) {
    BERTH_ASSERT(more >= 0 || std::cmp_greater_equal(running_pods_, -more),
                 "no more pods stop than ran");
    running_pods_ += static_cast<std::size_t>(more);
}

void Measures::record(const JobRecord& record, SimTime now) {
    metrics_.job(record, now);
    job_metrics_.job(record, now);
}

Load Measures::load_now() const {
    const core::NodeId root = ledger_.topology().root();
    const auto capacity = static_cast<double>(ledger_.capacity(root)[service_resource_]);
    const auto allocated = static_cast<double>(ledger_.allocated(root, service_resource_));
    return {static_cast<double>(running_pods_ + waiting_pods_),
            static_cast<double>(waiting_pods_),
            capacity > 0 ? allocated / capacity : 0};
}

void Measures::settle(SimTime now) {
    utilization_.settle(now);
    load_.settle(now, load_now());
    if (gpu_time_) {
        gpu_time_->settle(now, [this](JobId id) { return scheduler_->holds_back(id); });
    }
    if (inside_) {
        inside_->settle(now);
    }
}

std::vector<double> Measures::sample() {
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
    if (inside_) {
        inside_->sample(values);
    }
    BERTH_AUDIT(values.size() == sampled_metrics(ledger_.topology(), settings_.profile).size(),
                "a sample has a value for each of its names");
    return values;
}

void Measures::add_to(RunResult& result, SimTime now) {
    result.metrics = metrics_.result(utilization_, now);
    if (!settings_.run_time.empty()) {
        metrics_.add_run_time(result.metrics);
    }
    if (gpu_time_) {
        result.gpu_time = gpu_time_->result();
        GpuTimeLedger::add_to(result.metrics, gpu_time_->measured());
    }
    if (inside_) {
        inside_->add_to(result.metrics);
    }
    if (Meter* own = scheduler_->meter()) {
        own->finish(now);
        own->add_to(result.metrics);
    } else if (!settings_.node_changes.empty()) {
        metrics_.add_failures(result.metrics);
    }
    job_metrics_.add_to(result.metrics);
    result.kinds = job_metrics_.kinds();
    result.load = load_.result(now);
}

}  // namespace berth::sim
