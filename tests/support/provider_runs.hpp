#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/ledger/ledger.hpp"
#include "sim/cluster/inside/providers/server_providers.hpp"
#include "sim/job/records.hpp"
#include "sim/run/simulation.hpp"
#include "tests/support/at_arrival.hpp"
#include "tests/support/random_cloud.hpp"
#include "tests/support/random_cluster.hpp"

namespace berth::tests {

using core::Amount;
using core::ServerId;
using sim::SimTime;

/// What one member held, and from when to when.
struct Held {
    std::size_t job = 0;
    ServerId server;
    SimTime start{};
    SimTime finish = sim::never;
    std::vector<sim::ProviderUse::Part> parts{};

    [[nodiscard]] bool at(SimTime time) const { return start <= time && time < finish; }
};

/// Records what the run reports.
class Notes final : public sim::RecordSink {
public:
    explicit Notes(const core::Ledger& ledger) : ledger_(ledger) {}

    void job(const sim::JobRecord& record) override {
        add(record);
        at_arrival(records, record.arrival) = record;
    }
    void evicted(const sim::JobRecord& record, const sim::Eviction& eviction) override {
        ++evictions[static_cast<std::size_t>(eviction.cause)];
        add(record);
    }
    void sample(SimTime /*at*/, std::span<const double> /*values*/) override {}
    void event_handled(SimTime at, sim::QuotaManager* /*quotas*/) override {
        std::vector<std::vector<Amount>>& now = allocated[at];  // the last event of an instant
                                                                // overwrites earlier ones
        now.clear();
        const core::Topology& tree = ledger_.topology();
        for (std::uint32_t server = 0; server < tree.server_count(); ++server) {
            auto& amounts = now.emplace_back();
            for (std::size_t r = 0; r < ledger_.resource_count(); ++r) {
                amounts.push_back(ledger_.allocated(tree.node_of(ServerId{server}), r));
            }
        }
    }

    std::vector<Held> held;
    std::vector<sim::JobRecord> records;
    std::map<SimTime, std::vector<std::vector<Amount>>> allocated;  ///< Amounts by server and
                                                                    ///< resource.
    std::array<int, sim::eviction_cause_count> evictions{};

private:
    void add(const sim::JobRecord& record) {
        const auto job = static_cast<std::size_t>(std::stoul(record.job.name));
        for (const sim::Stint& stint : record.stints) {
            REQUIRE(std::ssize(stint.grants) == stint.members);
            for (const sim::Grant& grant : stint.grants) {
                held.push_back({job,
                                stint.server,
                                stint.start,
                                stint.finish.value_or(sim::never),
                                grant.providers->parts});
            }
        }
    }

    const core::Ledger& ledger_;
};

/// Random jobs, each named by its number. No job asks for anything that is unknown in the cloud.
inline std::vector<sim::Job> random_jobs(Dice& dice, const core::Topology& tree, int count) {
    const core::ProviderTerms terms(tree);
    std::vector<sim::Job> jobs;
    SimTime at{};
    for (int i = 0; i < count; ++i) {
        at += std::chrono::milliseconds(dice.chance(30) ? 0 : dice.roll(0, 9000));
        sim::Job job;
        job.name = std::to_string(i);
        job.submit = at;
        job.duration = std::chrono::milliseconds(dice.roll(1, 60'000));
        job.priority = static_cast<std::int32_t>(dice.roll(0, 3));
        job.preemptible = dice.chance(80);
        job.quota = fmt::format("q{}", dice.roll(0, 3));
        do {
            job.query = tests::pod_query(tests::random_pod_query(dice));
        } while (terms.unknown(job.query->query));
        job.demand = *terms.demand(job.query->query);
        jobs.push_back(std::move(job));
    }
    return jobs;
}

}  // namespace berth::tests
