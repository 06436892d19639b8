#pragma once

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/ledger/ledger.hpp"
#include "sim/job/records.hpp"
#include "sim/profile/profile.hpp"
#include "sim/run/simulation.hpp"
#include "tests/support/at_arrival.hpp"
#include "tests/support/device_machines.hpp"
#include "tests/support/random_gang.hpp"

namespace berth::tests {

using core::Amount;
using core::DeviceMask;
using sim::SimTime;

inline constexpr std::size_t gpu_resource = 1;  // as device_schema() orders them

/// What one member held, and from when to when.
struct Use {
    std::size_t job = 0;
    std::uint32_t server = 0;
    SimTime start{};
    SimTime finish = sim::never;
    DeviceMask gpus = 0;
    DeviceMask nics = 0;
    std::uint64_t members = 1;  ///< More than one only for a job without devices.

    [[nodiscard]] bool at(SimTime time) const { return start <= time && time < finish; }
};

/// Records what the run reports.
class Books final : public sim::RecordSink {
public:
    Books(const core::Ledger& ledger, const sim::Profile& profile) : ledger_(ledger) {
        const auto names = sim::sampled_metrics(ledger.topology(), profile);
        const auto at = std::ranges::find(names, "gpus_free");
        REQUIRE(at != names.end());
        gpus_free_ = static_cast<std::size_t>(at - names.begin());
    }

    void job(const sim::JobRecord& record) override {
        add(record);
        at_arrival(reasons, record.arrival) = record.reason;
        at_arrival(outcomes, record.arrival) = record.outcome;
    }
    void evicted(const sim::JobRecord& record, const sim::Eviction& eviction) override {
        ++evictions[static_cast<std::size_t>(eviction.cause)];
        add(record);
    }
    void sample(SimTime at, std::span<const double> values) override {
        free_gpus[at] = {values[gpus_free_], values[gpus_free_ + 1]};
    }
    void event_handled(SimTime at, sim::QuotaManager* /*quotas*/) override {
        std::vector<Amount>& now = allocated[at];  // the last event of an instant counts
        now.clear();
        const core::Topology& tree = ledger_.topology();
        for (std::uint32_t server = 0; server < tree.server_count(); ++server) {
            now.push_back(ledger_.allocated(tree.node_of(core::ServerId{server}), gpu_resource));
        }
    }

    std::vector<Use> uses;
    std::vector<std::string> reasons;
    std::vector<sim::Outcome> outcomes;
    std::map<SimTime, std::vector<Amount>> allocated;  ///< Allocated GPUs, by server.
    /// Free GPUs at each sample: all of them, and those on islands with other GPUs in use.
    std::map<SimTime, std::pair<double, double>> free_gpus;
    std::array<int, sim::eviction_cause_count> evictions{};

private:
    void add(const sim::JobRecord& record) {
        for (const sim::Stint& stint : record.stints) {
            Use use{static_cast<std::size_t>(std::stoul(record.job.name)),
                    stint.server.index,
                    stint.start,
                    stint.finish.value_or(sim::never)};
            REQUIRE(std::ssize(stint.grants) ==
                    (record.job.devices != nullptr ? stint.members : 0));
            use.members = static_cast<std::uint64_t>(stint.members);
            if (record.job.devices == nullptr) {
                uses.push_back(use);
            }
            use.members = 1;
            for (const sim::Grant& grant : stint.grants) {
                use.gpus = grant.devices->gpus;
                use.nics = grant.devices->nics;
                uses.push_back(use);
            }
        }
    }

    const core::Ledger& ledger_;
    std::size_t gpus_free_ = 0;
};

inline std::shared_ptr<const core::Topology> random_cluster(Dice& dice) {
    core::TopologyBuilder builder(device_schema());
    const std::int64_t types = dice.roll(1, 3);
    for (std::int64_t type = 0; type < types; ++type) {
        builder.add_machine_type(random_machine(dice, fmt::format("type-{}", type)));
    }
    builder.begin_level("cluster");
    builder.add_node(0, "cluster");
    builder.begin_level("rack");
    const auto racks = static_cast<std::uint32_t>(dice.roll(1, 3));
    for (std::uint32_t rack = 0; rack < racks; ++rack) {
        builder.add_node(0, fmt::format("rack-{}", rack));
    }
    builder.begin_level("server");
    for (std::uint32_t rack = 0; rack < racks; ++rack) {
        for (std::int64_t server = dice.roll(1, 3); server > 0; --server) {
            builder.add_server(rack,
                               fmt::format("server-{}-{}", rack, server),
                               static_cast<std::uint32_t>(dice.roll(0, types - 1)));
        }
    }
    return std::make_shared<const core::Topology>(builder.build());
}

/// Jobs, each named by its number.
struct Workload {
    std::vector<sim::Job> jobs;
    std::vector<DeviceAsk> asks;  ///< Requests by job.
};

inline Workload random_workload(Dice& dice, const DeviceWay& way) {
    Workload out;
    SimTime at{};
    for (int i = 0; i < 30; ++i) {
        at += std::chrono::milliseconds(dice.chance(30) ? 0 : dice.roll(0, 9000));
        sim::Job job;
        job.name = std::to_string(i);
        job.submit = at;
        job.duration = std::chrono::milliseconds(dice.roll(0, 60'000));
        job.priority = static_cast<std::int32_t>(dice.roll(0, 3));
        job.preemptible = dice.chance(80);
        job.quota = fmt::format("q{}", dice.roll(0, 3));
        DeviceAsk ask;
        if (dice.chance(85)) {
            ask = random_ask(dice, way.allocator);
            job.devices = std::make_shared<const core::PodDevices>(ask.devices);
        }
        job.demand = {1000 * dice.roll(job.devices != nullptr ? 0 : 1, 4), ask.milli_gpus()};
        if (dice.chance(25)) {
            make_group(dice, job);
        }
        out.jobs.push_back(std::move(job));
        out.asks.push_back(std::move(ask));
    }
    return out;
}

}  // namespace berth::tests
