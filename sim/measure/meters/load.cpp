#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/support/assert.hpp"
#include "sim/cluster/cluster.hpp"
#include "sim/cluster/service_resource.hpp"
#include "sim/measure/load_history.hpp"
#include "sim/measure/metered.hpp"
#include "sim/measure/run_result.hpp"
#include "sim/measure/utilization.hpp"
#include "sim/meter/meter.hpp"
#include "sim/profile/settings.hpp"

namespace berth::sim {
namespace {

/// How full the cluster is, and how many pods wait for it.
class LoadMeter final : public Meter {
public:
    LoadMeter(const core::Ledger& ledger, Window window, const Cluster* keeps_spares)
        : ledger_(ledger),
          tree_(ledger.topology()),
          utilization_(ledger, window, keeps_spares),
          service_resource_(service_resource(ledger.topology())),
          waiting_demand_(ledger.resource_count()) {}

    void arrived(SimTime now, std::uint64_t ended, bool more) override {
        history_.arrived(now, ended, more);
    }
    void waits(JobId /*id*/, const JobState& state) override {
        count_waiting(state.job(), state.job().size);
    }
    void leaves_queue(const JobState& state) override {
        count_waiting(state.job(), -state.job().size);
    }
    void members_run(core::Members more) override;
    void settle(SimTime now) override {
        utilization_.settle(now);
        history_.settle(now, load());
    }
    void sample(std::vector<double>& out) override;
    std::optional<core::Violation> find_violation() const override {
        return utilization_.find_violation();
    }
    void finish(SimTime now) override { end_ = now; }
    void add_to(std::vector<Metric>& out) const override;
    void add_tables(RunResult& result) const override { result.load = history_.result(end_); }

private:
    void count_waiting(const Job& job, core::Members pods);
    [[nodiscard]] Load load() const;
    void add_levels(std::vector<Metric>& out, std::size_t resource) const;

    const core::Ledger& ledger_;
    const core::Topology& tree_;
    Utilization utilization_;
    LoadRecorder history_;
    std::size_t service_resource_;
    std::size_t running_pods_ = 0;
    std::size_t waiting_pods_ = 0;
    std::vector<double> waiting_demand_;  ///< Total demand of all waiting pods, by resource.
    SimTime end_{};
};

void LoadMeter::count_waiting(const Job& job, core::Members pods) {
    for (std::size_t resource = 0; resource < job.demand.size(); ++resource) {
        waiting_demand_[resource] +=
            static_cast<double>(pods) * static_cast<double>(job.demand[resource]);
    }
    BERTH_ASSERT(pods > 0 || std::cmp_greater_equal(waiting_pods_, -pods),
                 "no more pods stop waiting than waited");
    waiting_pods_ += static_cast<std::size_t>(pods);
}

void LoadMeter::members_run(core::Members more) {
    BERTH_ASSERT(more >= 0 || std::cmp_greater_equal(running_pods_, -more),
                 "no more pods stop than ran");
    running_pods_ += static_cast<std::size_t>(more);
}

Load LoadMeter::load() const {
    const core::NodeId root = tree_.root();
    const auto capacity = static_cast<double>(ledger_.capacity(root)[service_resource_]);
    const auto allocated = static_cast<double>(ledger_.allocated(root, service_resource_));
    return {static_cast<double>(running_pods_ + waiting_pods_),
            static_cast<double>(waiting_pods_),
            capacity > 0 ? allocated / capacity : 0};
}

void LoadMeter::sample(std::vector<double>& out) {
    out.push_back(static_cast<double>(running_pods_));
    out.push_back(static_cast<double>(waiting_pods_));
    for (std::size_t resource = 0; resource < ledger_.resource_count(); ++resource) {
        const double allocated = utilization_.allocated(resource);
        const auto capacity = static_cast<double>(utilization_.capacity(resource));
        out.push_back(allocated);
        out.push_back(allocated + (capacity > 0 ? waiting_demand_[resource] / capacity : 0));
        out.push_back(utilization_.stranded(resource));
    }
}

void LoadMeter::add_to(std::vector<Metric>& out) const {
    for (std::size_t resource = 0; resource < ledger_.resource_count(); ++resource) {
        const std::string& name = tree_.resources().name(resource);
        out.push_back({name + "_utilization", utilization_.mean_allocated(tree_.root(), resource)});
        out.push_back({name + "_stranded", utilization_.mean_stranded(resource)});
        add_levels(out, resource);
    }
}

void LoadMeter::add_levels(std::vector<Metric>& out, std::size_t resource) const {
    for (std::uint32_t level = 1; level + 1 < tree_.level_count(); ++level) {
        std::optional<double> lowest;
        std::optional<double> highest;
        for (const core::NodeId node : tree_.level_nodes(core::Level{level})) {
            if (const auto share = utilization_.mean_allocated(node, resource)) {
                lowest = std::min(lowest.value_or(*share), *share);
                highest = std::max(highest.value_or(*share), *share);
            }
        }
        const std::string prefix = fmt::format("{}_{}_utilization",
                                               tree_.level_name(core::Level{level}),
                                               tree_.resources().name(resource));
        out.push_back({prefix + "_min", lowest});
        out.push_back({prefix + "_max", highest});
    }
}

}  // namespace

std::unique_ptr<Meter> make_load_meter(const Metered& run) {
    const Cluster* keeps_spares = run.settings.on_failure.spares ? &run.cluster : nullptr;
    return std::make_unique<LoadMeter>(run.cluster.ledger(), run.settings.window, keeps_spares);
}

void sampled_by_load(const core::Topology& tree,
                     const Profile& /*profile*/,
                     std::vector<std::string>& names) {
    names.insert(names.end(), {"pods_running", "pods_waiting"});
    for (const std::string& resource : tree.resources().names()) {
        names.push_back(resource + "_utilization");
        names.push_back(resource + "_requested");
        names.push_back(resource + "_stranded");
    }
}

}  // namespace berth::sim
