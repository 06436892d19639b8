#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/index/scorer.hpp"
#include "sim/run/simulation.hpp"
#include "sim/schedulers/profile/profile_scheduler.hpp"
#include "tests/support/at_arrival.hpp"
#include "tests/support/list_source.hpp"

namespace berth::tests {

/// Servers with one resource each, in one rack.
inline std::shared_ptr<const core::Topology> servers_of_units(
    const std::vector<core::Amount>& units, const std::string& resource = "units") {
    core::ResourceSchema schema;
    schema.add(resource);
    core::TopologyBuilder builder(schema);
    std::uint32_t type = 0;
    for (const core::Amount amount : units) {
        core::Amounts capacity(1);
        capacity(0) = amount;
        builder.add_machine_type({"host-" + std::to_string(type++), capacity, {}});
    }
    builder.begin_level("cluster");
    builder.add_node(0, "cluster");
    builder.begin_level("server");
    for (std::uint32_t server = 0; server < type; ++server) {
        builder.add_server(0, "server-" + std::to_string(server), server);
    }
    return std::make_shared<const core::Topology>(builder.build());
}

inline sim::Job job_of(std::string name,
                       core::Amount units,
                       sim::SimTime submit,
                       std::optional<sim::SimTime> duration) {
    sim::Job job;
    job.name = std::move(name);
    job.demand = {units};
    job.submit = submit;
    job.duration = duration;
    return job;
}

/// A run under one queue policy; servers are taken in index order.
class QueueRun final : public sim::RecordSink {
public:
    QueueRun(std::shared_ptr<const core::Topology> tree,
             std::vector<sim::Job> jobs,
             sim::QueuePolicy policy,
             sim::Settings settings = {},
             const sim::MakeProfileHooks& hooks = nullptr) {
        settings.profile.queue = policy;
        settings.profile.solver = sim::Solver::exact;
        const auto first_fit = std::ranges::find(
            core::scorers(), std::string_view("first-fit"), &core::ScorerEntry::name);
        settings.profile.score = {{first_fit->make(), 1}};
        std::ranges::stable_sort(jobs, {}, &sim::Job::submit);
        core::Ledger ledger(std::move(tree));
        ListSource source(std::move(jobs));
        sim::RunControl control;
        control.check_invariants = true;
        const sim::MakeScheduler with_hooks = [&](sim::Actions& actions) {
            auto scheduler = std::make_unique<sim::ProfileScheduler>(settings, *this, actions);
            scheduler->decide_by(hooks(actions));
            return scheduler;
        };
        const sim::MakeScheduler make = hooks ? with_hooks : nullptr;
        result = sim::Simulation(ledger, source, settings, *this, control, make).run();
    }

    void job(const sim::JobRecord& record) override {
        tests::at_arrival(records, record.arrival) = record;
    }
    void sample(sim::SimTime /*at*/, std::span<const double> /*values*/) override {}

    [[nodiscard]] const sim::JobRecord& of(const std::string& name) const {
        return *std::ranges::find(
            records, name, [](const sim::JobRecord& record) { return record.job.name; });
    }
    /// Start times in seconds, by job name; -1 for a job that did not start.
    [[nodiscard]] std::map<std::string, double> starts() const {
        std::map<std::string, double> out;
        for (const sim::JobRecord& record : records) {
            out[record.job.name] = record.start ? sim::seconds(*record.start) : -1;
        }
        return out;
    }

    std::vector<sim::JobRecord> records;
    sim::RunResult result;
};

}  // namespace berth::tests
