#include "quota_runs.hpp"

#include "tests/support/list_source.hpp"
#include "tests/support/named_scorer.hpp"

#include <fmt/format.h>
#include <Eigen/Core>

#include <algorithm>
#include <catch2/catch.hpp>
#include <span>

#include "sim/quota/quota_manager.hpp"
#include "sim/run/simulation.hpp"

namespace berth::tests {
namespace {

std::shared_ptr<const core::Topology> build(const std::vector<std::vector<core::Amount>>& servers,
                                            const std::vector<std::string>& resources) {
    core::ResourceSchema schema;
    for (const std::string& resource : resources) {
        schema.add(resource);
    }
    core::TopologyBuilder builder(schema);
    for (std::size_t i = 0; i < servers.size(); ++i) {
        core::Amounts capacity(static_cast<Eigen::Index>(resources.size()));
        for (std::size_t r = 0; r < resources.size(); ++r) {
            capacity(static_cast<Eigen::Index>(r)) = servers[i][r];
        }
        builder.add_machine_type({fmt::format("type-{}", i), capacity, {}});
    }
    builder.begin_level("cluster");
    builder.add_node(0, "cluster");
    builder.begin_level("server");
    for (std::uint32_t i = 0; i < servers.size(); ++i) {
        builder.add_server(0, fmt::format("server-{}", i), i);
    }
    return std::make_shared<const core::Topology>(builder.build());
}

}  // namespace

std::shared_ptr<const core::Topology> cluster(
    const std::vector<std::pair<core::Amount, core::Amount>>& servers) {
    std::vector<std::vector<core::Amount>> amounts;
    for (const auto& [units, blocks] : servers) {
        amounts.push_back({units, blocks});
    }
    return build(amounts, {"units", "blocks"});
}

std::shared_ptr<const core::Topology> servers_of(const std::vector<core::Amount>& units) {
    std::vector<std::vector<core::Amount>> amounts;
    for (const core::Amount amount : units) {
        amounts.push_back({amount});
    }
    return build(amounts, {"units"});
}

core::Quantities units(std::int64_t amount) {
    return {{"units", core::Quantity{amount} * 1'000'000'000}};
}

core::ElasticQuota quota(std::string name, std::int64_t min, std::int64_t max, std::string parent) {
    core::ElasticQuota out;
    out.name = std::move(name);
    out.parent = std::move(parent);
    out.min = units(min);
    out.max = units(max);
    return out;
}

core::ElasticQuota parent_quota(std::string name,
                                std::int64_t min,
                                std::int64_t max,
                                std::string parent) {
    core::ElasticQuota out = quota(std::move(name), min, max, std::move(parent));
    out.is_parent = true;
    return out;
}

sim::Job pod(std::string name,
             std::string quota,
             sim::SimTime submit,
             std::optional<sim::SimTime> duration,
             core::Amount demand) {
    sim::Job job;
    job.name = std::move(name);
    job.quota = std::move(quota);
    job.submit = submit;
    job.duration = duration;
    job.demand = {demand};
    return job;
}

void add_pods(std::vector<sim::Job>& jobs, const sim::Job& like, int count) {
    for (int i = 0; i < count; ++i) {
        jobs.push_back(like);
        jobs.back().name = fmt::format("{}-{}", like.name, i);
    }
}

sim::Job group(std::string name,
               std::string quota,
               sim::SimTime submit,
               std::optional<sim::SimTime> duration,
               core::Members size,
               core::Members min_available) {
    sim::Job job = pod(std::move(name), std::move(quota), submit, duration, 1);
    job.group = true;
    job.size = size;
    job.min_available = min_available;
    job.constraints = core::LevelConstraints(2);
    return job;
}

sim::Settings with_quotas(std::vector<core::ElasticQuota> quotas) {
    sim::Settings settings;
    settings.quotas.emplace().quotas = std::move(quotas);
    return settings;
}

QuotaRun::QuotaRun(std::shared_ptr<const core::Topology> tree,
                   std::vector<sim::Job> all,
                   sim::Settings settings,
                   const std::map<std::uint32_t, core::Amount>& in_use) {
    settings.profile.score = tests::by_scorer("first-fit");
    core::Ledger ledger(std::move(tree));
    for (const auto& [server, amount] : in_use) {
        ledger.occupy(core::ServerId{server}, std::vector<core::Amount>{amount});
    }
    const std::size_t submitted = all.size();
    std::ranges::stable_sort(all, {}, &sim::Job::submit);
    ListSource source(std::move(all));
    sim::RunControl control;
    control.check_invariants = true;
    result = sim::Simulation(ledger, source, settings, *this, control).run();
    for (const sim::Metric& metric : result.metrics) {
        if (metric.value) {
            metrics[metric.name] = *metric.value;
        }
    }
    // No job is lost, whatever the test is about.
    if (settings.until == sim::never) {
        CHECK(jobs.size() == submitted);
    }
}

void QuotaRun::sample(sim::SimTime /*at*/, std::span<const double> /*values*/) {}

void QuotaRun::evicted(const sim::JobRecord& record, const sim::Eviction& eviction) {
    evictions.push_back({record.job.name, eviction});
}

void QuotaRun::event_handled(sim::SimTime at, sim::QuotaManager* quotas) {
    if (quotas == nullptr) {
        return;
    }
    core::QuotaTrees& trees = quotas->trees();
    for (std::uint32_t i = 0; i < trees.count(); ++i) {
        const core::QuotaId id{i};
        if (trees.exists(id)) {
            seen[trees.name(id)][at] = {trees.runtime(id, 0).value_or(-1), trees.used(id, 0)};
        }
    }
}

const sim::JobRecord& QuotaRun::of(const std::string& name) const {
    const auto at =
        std::ranges::find(jobs, name, [](const sim::JobRecord& record) { return record.job.name; });
    INFO(name);
    REQUIRE(at != jobs.end());
    return *at;
}

double QuotaRun::start_s(const std::string& name) const {
    const auto& start = of(name).start;
    return start ? sim::seconds(*start) : -1;
}

double QuotaRun::finish_s(const std::string& name) const {
    const auto& finish = of(name).finish;
    return finish ? sim::seconds(*finish) : -1;
}

double QuotaRun::metric(const std::string& name) const {
    INFO(name);
    REQUIRE(metrics.contains(name));
    return metrics.at(name);
}

std::vector<std::string> QuotaRun::eviction_texts() const {
    std::vector<std::string> out;
    for (const Evicted& evicted : evictions) {
        out.push_back(fmt::format("{} {} at {}",
                                  evicted.job,
                                  to_name(evicted.eviction.cause),
                                  sim::format_seconds(evicted.eviction.at)));
    }
    return out;
}

core::Amount QuotaRun::runtime_at(const std::string& quota, sim::SimTime at) const {
    return std::prev(seen.at(quota).upper_bound(at))->second.runtime;
}

core::Amount QuotaRun::used_at(const std::string& quota, sim::SimTime at) const {
    return std::prev(seen.at(quota).upper_bound(at))->second.used;
}

}  // namespace berth::tests
