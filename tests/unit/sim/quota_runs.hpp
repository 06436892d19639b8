#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sim/run/simulation.hpp"
#include "tests/support/at_arrival.hpp"

namespace berth::tests {

/// A cluster of servers on one level, each with the given amounts of `units` and `blocks`.
[[nodiscard]] std::shared_ptr<const core::Topology> cluster(
    const std::vector<std::pair<core::Amount, core::Amount>>& servers);

/// Servers with `units` alone.
[[nodiscard]] std::shared_ptr<const core::Topology> servers_of(
    const std::vector<core::Amount>& units);

/// A quota of `units`, which is a leaf unless `is_parent` is set.
[[nodiscard]] core::ElasticQuota quota(std::string name,
                                       std::int64_t min,
                                       std::int64_t max,
                                       std::string parent = "");
[[nodiscard]] core::ElasticQuota parent_quota(std::string name,
                                              std::int64_t min,
                                              std::int64_t max,
                                              std::string parent = "");
[[nodiscard]] core::Quantities units(std::int64_t amount);

/// A single pod that asks for `demand` units.
[[nodiscard]] sim::Job pod(std::string name,
                           std::string quota,
                           sim::SimTime submit,
                           std::optional<sim::SimTime> duration,
                           core::Amount demand = 1);
/// Adds `count` jobs like the given one: NAME-0, NAME-1, ...
void add_pods(std::vector<sim::Job>& jobs, const sim::Job& like, int count);
[[nodiscard]] sim::Job group(std::string name,
                             std::string quota,
                             sim::SimTime submit,
                             std::optional<sim::SimTime> duration,
                             core::Members size,
                             core::Members min_available);

/// Settings with quotas, without a recycler or preemption.
[[nodiscard]] sim::Settings with_quotas(std::vector<core::ElasticQuota> quotas);

/// What a run with quotas did.
class QuotaRun final : public sim::RecordSink {
public:
    QuotaRun(std::shared_ptr<const core::Topology> tree,
             std::vector<sim::Job> jobs,
             sim::Settings settings,
             const std::map<std::uint32_t, core::Amount>& in_use = {});

    void job(const sim::JobRecord& record) override {
        tests::at_arrival(jobs, record.arrival) = record;
    }
    void sample(sim::SimTime at, std::span<const double> values) override;
    void evicted(const sim::JobRecord& record, const sim::Eviction& eviction) override;
    void quota_changed(const sim::QuotaChangeRecord& change) override { changes.push_back(change); }
    void event_handled(sim::SimTime at, sim::QuotaManager* quotas) override;

    [[nodiscard]] const sim::JobRecord& of(const std::string& name) const;
    [[nodiscard]] double start_s(const std::string& name) const;
    [[nodiscard]] double finish_s(const std::string& name) const;
    [[nodiscard]] double metric(const std::string& name) const;
    [[nodiscard]] bool has_metric(const std::string& name) const { return metrics.contains(name); }
    /// The evictions in order, each as `a-1 revoked at 23`.
    [[nodiscard]] std::vector<std::string> eviction_texts() const;
    /// The value after the last event of the last instant up to `at`.
    [[nodiscard]] core::Amount runtime_at(const std::string& quota, sim::SimTime at) const;
    [[nodiscard]] core::Amount used_at(const std::string& quota, sim::SimTime at) const;

    struct Evicted {
        std::string job;
        sim::Eviction eviction;
    };
    struct Seen {
        core::Amount runtime = -1;  ///< -1: no limit.
        core::Amount used = 0;
    };
    std::vector<sim::JobRecord> jobs;
    std::vector<Evicted> evictions;
    std::vector<sim::QuotaChangeRecord> changes;
    std::map<std::string, double> metrics;
    /// The runtime and the use of `units`, by quota and time.
    std::map<std::string, std::map<sim::SimTime, Seen>> seen;
    sim::RunResult result;
};

}  // namespace berth::tests
