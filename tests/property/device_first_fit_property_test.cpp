// Compares runs with devices under first-fit with a loop over servers and time.

#include <array>
#include <chrono>
#include <tuple>

#include <catch2/catch.hpp>

#include "core/index/scorer.hpp"
#include "sim/run/simulation.hpp"
#include "tests/support/device_machines.hpp"
#include "tests/support/device_runs.hpp"
#include "tests/support/list_source.hpp"
#include "tests/support/named_scorer.hpp"

using namespace berth;
using core::Amount;
using sim::SimTime;
using tests::Books;
using tests::DeviceAsk;
using tests::DeviceWay;
using tests::Dice;
using tests::random_cluster;
using tests::random_workload;
using tests::Use;
using tests::Workload;

namespace {

/// first-fit with first come, first served, in its simplest form.
class PlainFirstFit {
public:
    explicit PlainFirstFit(const core::Topology& tree) {
        for (std::uint32_t index = 0; index < tree.server_count(); ++index) {
            const core::MachineType& type = tree.machine_type(core::ServerId{index});
            const tests::DeviceBooks machine(type);
            servers_.push_back({type.capacity[0],
                                std::vector<bool>(machine.gpu_count(), true),
                                std::vector<Amount>(machine.nic_count(), 100)});
        }
    }

    /// Lets jobs come in the order of their numbers; each that starts runs for its duration.
    std::vector<Use> run(const Workload& workload) {
        std::set<SimTime> instants;
        for (const sim::Job& job : workload.jobs) {
            instants.insert(job.submit);
        }
        std::vector<std::size_t> waiting;
        std::size_t next = 0;
        while (!instants.empty()) {
            const SimTime now = *instants.begin();
            instants.erase(instants.begin());
            end_those_of(now, workload);
            for (; next < workload.jobs.size() && workload.jobs[next].submit == now; ++next) {
                waiting.push_back(next);
            }
            std::erase_if(waiting, [&](std::size_t job) {
                const bool started = start(job, now, workload);
                if (started) {
                    instants.insert(uses_.back().finish);
                }
                return started;
            });
        }
        return uses_;
    }

private:
    struct Server {
        Amount cpu = 0;
        std::vector<bool> gpus;
        std::vector<Amount> nics;
    };

    void end_those_of(SimTime now, const Workload& workload) {
        for (const Use& use : uses_) {
            if (use.finish != now) {
                continue;
            }
            Server& server = servers_[use.server];
            server.cpu += workload.jobs[use.job].demand[0];
            core::for_each_bit(use.gpus, [&](std::size_t gpu) { server.gpus[gpu] = true; });
            core::for_each_bit(use.nics, [&](std::size_t nic) {
                server.nics[nic] += workload.asks[use.job].of_nic;
            });
        }
    }

    bool start(std::size_t job, SimTime now, const Workload& workload) {
        const DeviceAsk& ask = workload.asks[job];
        for (std::uint32_t index = 0; index < servers_.size(); ++index) {
            Server& server = servers_[index];
            Use use{job, index, now, now + *workload.jobs[job].duration};
            for (std::size_t gpu = 0; gpu < server.gpus.size(); ++gpu) {
                use.gpus |=
                    server.gpus[gpu] && std::popcount(use.gpus) < ask.gpus ? core::bit(gpu) : 0;
            }
            for (std::size_t nic = 0; nic < server.nics.size(); ++nic) {
                use.nics |= server.nics[nic] >= ask.of_nic && std::popcount(use.nics) < ask.nics
                                ? core::bit(nic)
                                : 0;
            }
            if (server.cpu < workload.jobs[job].demand[0] || std::popcount(use.gpus) != ask.gpus ||
                std::popcount(use.nics) != ask.nics) {
                continue;
            }
            server.cpu -= workload.jobs[job].demand[0];
            core::for_each_bit(use.gpus, [&](std::size_t gpu) { server.gpus[gpu] = false; });
            core::for_each_bit(use.nics, [&](std::size_t nic) { server.nics[nic] -= ask.of_nic; });
            uses_.push_back(use);
            return true;
        }
        return false;
    }

    std::vector<Server> servers_;
    std::vector<Use> uses_;
};

}  // namespace

TEST_CASE("devices in a run: first-fit does as a plain loop", "[property][devices]") {
    std::size_t compared = 0;
    for (std::uint64_t seed = 0; seed < tests::cases(60); ++seed) {
        CAPTURE(seed);
        Dice dice(seed);
        const auto tree = random_cluster(dice);
        const DeviceWay way{"first-fit", {}};
        Workload workload = random_workload(dice, way);
        for (sim::Job& job : workload.jobs) {
            job.group = false;
            job.size = job.min_available = 1;
            job.constraints.reset();
            job.resizes.clear();
            *job.duration += std::chrono::milliseconds(1);
        }
        sim::Settings settings;
        settings.profile.score = tests::by_scorer("best-fit");
        for (const core::ScorerEntry& entry : core::scorers()) {
            if (entry.name == "first-fit") {
                settings.profile.score = {{entry.make(), 1}};
            }
        }
        settings.profile.inside.devices = sim::DevicePlugin{way.allocator, way.rules, 0};
        core::Ledger ledger(tree);
        tests::ListSource source(workload.jobs);
        Books books(ledger, settings.profile);
        sim::RunControl control;
        (void)sim::Simulation(ledger, source, settings, books, control).run();
        std::vector<Use> expected = PlainFirstFit(*tree).run(workload);
        std::ranges::sort(expected, {}, &Use::job);
        std::ranges::stable_sort(books.uses, {}, &Use::job);
        REQUIRE(books.uses.size() == expected.size());
        for (std::size_t i = 0; i < expected.size(); ++i) {
            const Use& a = books.uses[i];
            const Use& b = expected[i];
            CAPTURE(a.job, workload.asks[a.job].devices.text);
            REQUIRE(std::tie(a.job, a.server, a.start, a.finish, a.gpus, a.nics) ==
                    std::tie(b.job, b.server, b.start, b.finish, b.gpus, b.nics));
        }
        compared += expected.size();
    }
    CHECK(compared > 500);
}
