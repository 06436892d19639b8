// Compares backfilling with a plain second implementation on one server, and checks its promises on
// several servers.

#include <chrono>

#include "core/machine_views/provider_terms.hpp"
#include "sim/backfill/conservative_backfill.hpp"
#include "tests/support/device_machines.hpp"
#include "tests/support/dice.hpp"
#include "tests/support/gpu_cluster.hpp"
#include "tests/support/plain_backfill.hpp"
#include "tests/support/queue_run.hpp"
#include "tests/support/random_cloud.hpp"
#include "tests/support/random_providers.hpp"

using namespace berth;
using namespace berth::tests;
using std::chrono::seconds;

namespace {

constexpr std::int64_t units = 10;

std::chrono::milliseconds half_seconds(std::int64_t time) {
    return std::chrono::milliseconds(500 * time);
}

/// Chooses the asked number of units among the free ones.
std::optional<Cells> choose_units(const Cells& free, const Cells& asked) {
    return asked.front() <= free.front() ? std::optional(asked) : std::nullopt;
}

/// Chooses a share of the GPU with the least room, or several GPUs that are completely free.
std::optional<Cells> choose_gpus(const Cells& free, const Cells& asked) {
    const std::int64_t milli = asked[0];
    Cells takes(free.size());
    std::int64_t left = asked[1];
    if (milli < 1000) {
        std::optional<std::size_t> best;
        for (std::size_t gpu = 0; gpu < free.size(); ++gpu) {
            if (free[gpu] >= milli && (!best || free[gpu] < free[*best])) {
                best = gpu;
            }
        }
        if (best) {
            takes[*best] = milli;
            left = 0;
        }
    } else {
        for (std::size_t gpu = 0; gpu < free.size() && left > 0; ++gpu) {
            if (free[gpu] == 1000) {
                takes[gpu] = 1000;
                --left;
            }
        }
    }
    return left == 0 ? std::optional(takes) : std::nullopt;
}

/// Chooses the first GPUs, and a share of the first NIC that has it.
std::optional<Cells> choose_devices(const Cells& free, const Cells& asked) {
    Cells takes(free.size());
    std::int64_t gpus = asked[0];
    std::int64_t nics = asked[1] > 0 ? 1 : 0;
    for (std::size_t gpu = 0; gpu < 4 && gpus > 0; ++gpu) {
        takes[gpu] = free[gpu];
        gpus -= free[gpu];
    }
    for (std::size_t nic = 4; nic < 6 && nics > 0; ++nic) {
        if (free[nic] >= asked[1]) {
            takes[nic] = asked[1];
            nics = 0;
        }
    }
    return gpus + nics == 0 ? std::optional(takes) : std::nullopt;
}

/// Chooses CPUs of the first NUMA node that has enough, and a part of the disk that servers share.
std::optional<Cells> choose_providers(const Cells& free, const Cells& asked) {
    for (std::size_t numa = 0; numa < 2 && free[2] >= asked[1]; ++numa) {
        if (free[numa] >= asked[0]) {
            Cells takes{0, 0, asked[1]};
            takes[numa] = asked[0];
            return takes;
        }
    }
    return std::nullopt;
}

std::shared_ptr<const core::Topology> one_server(core::ResourceSchema schema,
                                                 core::MachineType type) {
    core::TopologyBuilder builder(std::move(schema));
    builder.add_machine_type(std::move(type));
    builder.begin_level("cluster");
    builder.add_node(0, "cluster");
    builder.begin_level("server");
    builder.add_server(0, "server", 0);
    return std::make_shared<const core::Topology>(builder.build());
}

std::shared_ptr<const core::Topology> server_with_nics() {
    core::MachineType type{"host", core::Amounts(2), {}};
    type.capacity << 64'000, 4000;
    for (const auto& [kind, count] : {std::pair("gpu", 4), {"rdma", 2}}) {
        type.devices.emplace_back();
        type.devices.back().kind = kind;
        type.devices.back().count = count;
    }
    return one_server(device_schema(), std::move(type));
}

std::shared_ptr<const core::Topology> server_with_numa_nodes() {
    core::MachineType type{"host", core::Amounts::Zero(5), {}};
    type.capacity[0] = 8000;
    type.numa_nodes = 2;
    return std::make_shared<const core::Topology>(core::TopologyBuilder::with_shared_providers(
        *one_server(cloud_schema(), std::move(type)),
        {{"pool", core::Level{0}, {{"DISK_GB", {.total = 6}}}, {}}}));
}

enum class Estimates { exact, too_long, any };

enum class What { amounts, gpus, devices, providers };

/// One server, with or without something inside, and what a plain planner knows about it.
class Server {
public:
    explicit Server(What what) : what_(what) {
        switch (what) {
            case What::amounts:
                tree = servers_of_units({units});
                whole = {units};
                choose = choose_units;
                break;
            case What::gpus:
                tree = gpu_cluster({{"host", 64'000, 1 << 20, 4}});
                whole = Cells(4, 1000);
                choose = choose_gpus;
                settings.profile.inside.gpus.emplace();
                break;
            case What::devices:
                tree = server_with_nics();
                whole = {1, 1, 1, 1, 100, 100};
                choose = choose_devices;
                settings.profile.inside.devices.emplace().allocator = "first-fit";
                break;
            case What::providers:
                tree = server_with_numa_nodes();
                whole = {4, 4, 6};
                choose = choose_providers;
                settings.profile.inside.candidates.emplace();
                break;
        }
    }

    [[nodiscard]] Cells random_ask(Dice& dice) const {
        switch (what_) {
            case What::amounts:
                return {dice.roll(1, units)};
            case What::gpus:
                return dice.chance(60) ? Cells{100 * dice.roll(1, 10), 1}
                                       : Cells{1000, dice.roll(1, 4)};
            case What::devices:
                return {dice.roll(1, 4), dice.chance(60) ? 10 * dice.roll(1, 10) : 0};
            case What::providers:
                return {dice.roll(1, 4), dice.chance(60) ? dice.roll(1, 5) : 0};
        }
        return {};
    }

    [[nodiscard]] sim::Job as_job(const PlainJob& plain, std::string name) const {
        sim::Job job =
            job_of(std::move(name), 1, half_seconds(plain.submit), half_seconds(plain.duration));
        job.estimate = half_seconds(plain.estimate);
        if (what_ == What::amounts) {
            job.demand = plain.asked;
        } else if (what_ == What::gpus) {
            const core::GpuRequest request{plain.asked[0], plain.asked[1], {}};
            job.gpus = std::make_shared<const core::GpuRequest>(request);
            job.demand = {1, 1, request.total_milli()};
        } else if (what_ == What::devices) {
            job.devices = std::make_shared<const core::PodDevices>(
                ask_for(plain.asked[0], plain.asked[1]).devices);
            job.demand = {1, 1000 * plain.asked[0]};
        } else {
            std::string text = fmt::format("resources_A=VCPU:{}", plain.asked[0]);
            if (plain.asked[1] > 0) {
                text += fmt::format("&resources_B=DISK_GB:{}&group_policy=none", plain.asked[1]);
            }
            job.query = pod_query(text);
            job.demand = *core::ProviderTerms(*tree).demand(job.query->query);
        }
        return job;
    }

    std::shared_ptr<const core::Topology> tree;
    sim::Settings settings;
    Cells whole;
    PlainBackfill::Choose choose;

private:
    What what_;
};

std::vector<PlainJob> random_jobs(Dice& dice, const Server& server, Estimates estimates) {
    std::vector<PlainJob> jobs;
    std::int64_t at = 0;
    for (int i = 0; i < 30; ++i) {
        at += 2 * dice.roll(0, 4);
        PlainJob job{server.random_ask(dice), at, 2 * dice.roll(1, 12)};
        job.estimate = estimates == Estimates::exact      ? job.duration
                       : estimates == Estimates::too_long ? job.duration + 2 * dice.roll(0, 12)
                                                          : 2 * dice.roll(1, 20);
        jobs.push_back(job);
    }
    return jobs;
}

std::vector<sim::Job> as_jobs(const std::vector<PlainJob>& plain, const Server& server) {
    std::vector<sim::Job> jobs;
    for (const PlainJob& job : plain) {
        jobs.push_back(server.as_job(job, std::to_string(jobs.size())));
    }
    return jobs;
}

/// Several different servers, and either pods that ask for what is inside, or pods and gangs.
struct RandomCluster {
    RandomCluster(Dice& dice, What what) {
        std::int64_t at = 0;
        const DeviceWay way = what == What::devices ? drawn(dice, device_ways()) : DeviceWay{};
        if (what == What::amounts) {
            tree = servers_of_units({4, 4, 6, 5});
        } else if (what == What::gpus) {
            tree = gpu_cluster({{"a", 64'000, 1 << 20, 4}, {"b", 64'000, 1 << 20, 2}});
            settings.profile.inside.gpus.emplace().policy = drawn(
                dice, std::vector<std::string>{"", "gpu-packing", "gpu-clustering", "random"});
        } else if (what == What::devices) {
            tree = random_device_servers(dice);
            settings.profile.inside.devices = {way.allocator, way.rules, 1};
        } else {
            tree = random_cloud(dice);
            settings.profile.inside.candidates.emplace().choice =
                drawn(dice,
                      std::vector{sim::CandidateChoice::first,
                                  sim::CandidateChoice::pack,
                                  sim::CandidateChoice::spread});
        }
        for (int i = 0; i < 25; ++i) {
            at += dice.roll(0, 3);
            sim::Job job =
                job_of(std::to_string(i), dice.roll(1, 4), seconds(at), seconds(dice.roll(1, 15)));
            if (what == What::amounts && dice.chance(20)) {
                job.group = true;
                job.size = job.min_available = dice.roll(2, 4);
                job.demand = {dice.roll(1, 2)};
                job.constraints = core::LevelConstraints(2);
            } else if (what == What::gpus) {
                const bool share = dice.chance(60);
                const core::GpuRequest request{
                    share ? 100 * dice.roll(1, 9) : 1000, share ? 1 : dice.roll(1, 4), {}};
                job.gpus = std::make_shared<const core::GpuRequest>(request);
                job.demand = {1, 1, request.total_milli()};
            } else if (what == What::devices) {
                const DeviceAsk ask = random_ask(dice, way.allocator);
                job.devices = std::make_shared<const core::PodDevices>(ask.devices);
                job.demand = {1, ask.milli_gpus()};
            } else if (what == What::providers) {
                const core::ProviderTerms terms(*tree);
                do {
                    job.query = pod_query(random_pod_query(dice));
                } while (terms.unknown(job.query->query));
                job.demand = *terms.demand(job.query->query);
            }
            jobs.push_back(std::move(job));
        }
    }

    std::shared_ptr<const core::Topology> tree;
    sim::Settings settings;
    std::vector<sim::Job> jobs;

private:
    static std::shared_ptr<const core::Topology> random_device_servers(Dice& dice) {
        core::TopologyBuilder builder(device_schema());
        builder.add_machine_type(random_machine(dice, "a"));
        builder.add_machine_type(random_machine(dice, "b"));
        builder.begin_level("cluster");
        builder.add_node(0, "cluster");
        builder.begin_level("server");
        for (std::uint32_t server = 0; server < 3; ++server) {
            builder.add_server(0, fmt::format("server-{}", server), server % 2);
        }
        return std::make_shared<const core::Topology>(builder.build());
    }
};

}  // namespace

TEST_CASE("backfill: as a plain implementation on one server", "[property][backfill]") {
    struct Row {
        std::string policy;
        Estimates estimates;
    };
    const Row row = GENERATE(Row{"fcfs", Estimates::any},
                             Row{"easy-backfill", Estimates::exact},
                             Row{"easy-backfill", Estimates::too_long},
                             Row{"easy-backfill", Estimates::any},
                             Row{"conservative-backfill", Estimates::exact},
                             Row{"conservative-backfill", Estimates::too_long},
                             Row{"replanned-backfill", Estimates::exact},
                             Row{"replanned-backfill", Estimates::too_long});
    const What what = GENERATE(What::amounts, What::gpus, What::devices, What::providers);
    CAPTURE(row.policy, static_cast<int>(what));
    const Server server(what);
    int waited = 0;
    for (std::uint64_t seed = 0; seed < cases(60); ++seed) {
        CAPTURE(seed);
        Dice dice(seed);
        const std::vector<PlainJob> jobs = random_jobs(dice, server, row.estimates);
        const std::vector<PlainJob> expected =
            PlainBackfill(server.whole, server.choose, jobs, row.policy).run();
        const QueueRun run(
            server.tree, as_jobs(jobs, server), sim::queue_policy(row.policy), server.settings);
        for (std::size_t i = 0; i < jobs.size(); ++i) {
            CAPTURE(i);
            REQUIRE(*run.records[i].start == half_seconds(expected[i].start));
            // The promise: no job starts later than its first reservation said.
            const bool kept = row.policy == "conservative-backfill" ||
                              (row.estimates == Estimates::exact && row.policy != "fcfs" &&
                               (row.policy == "easy-backfill" || what == What::amounts));
            if (kept && expected[i].promised >= 0) {
                REQUIRE(expected[i].start <= expected[i].promised);
                ++waited;
            }
        }
    }
    CHECK((waited > 100 || row.estimates != Estimates::exact || row.policy == "fcfs" ||
           row.policy == "replanned-backfill"));
}

TEST_CASE("backfill: who comes later delays nobody", "[property][backfill]") {
    const What what = GENERATE(What::amounts, What::gpus, What::devices, What::providers);
    CAPTURE(static_cast<int>(what));
    // With exact estimates, conservative backfilling delays no earlier job, and EASY does not delay
    // the first job that had to wait.
    int checked = 0;
    for (std::uint64_t seed = 0; seed < cases(50); ++seed) {
        CAPTURE(seed);
        Dice dice(seed);
        const RandomCluster cluster(dice, what);
        for (const char* policy : {"conservative-backfill", "easy-backfill"}) {
            CAPTURE(policy);
            const auto run = [&](std::size_t jobs) {
                return QueueRun(cluster.tree,
                                {cluster.jobs.begin(),
                                 cluster.jobs.begin() + static_cast<std::ptrdiff_t>(jobs)},
                                sim::queue_policy(policy),
                                cluster.settings);
            };
            const QueueRun all = run(cluster.jobs.size());
            for (std::size_t i = 0; i < cluster.jobs.size(); ++i) {
                CAPTURE(i);
                const auto alone = run(i + 1).records[i].start;
                if (alone && *alone > cluster.jobs[i].submit) {
                    REQUIRE(all.records[i].start);
                    REQUIRE(*all.records[i].start <= *alone);
                    ++checked;
                    if (policy == std::string("easy-backfill")) {
                        break;
                    }
                }
            }
        }
    }
    CHECK(checked > 70);
}

namespace {

/// Conservative backfilling under observation: notes the first promise to each job, and the jobs
/// that start later.
class Watched final : public sim::ConservativeBackfill {
public:
    explicit Watched(const sim::BackfillContext& context)
        : ConservativeBackfill(context), actions_(context.actions) {
        promised = broken = 0;
    }
    bool backfill() override {
        const bool any = ConservativeBackfill::backfill();
        actions_.each_job([&](sim::JobId id) {
            const auto start = actions_.job(id).waits() ? promised_start(id) : std::nullopt;
            if (start && first_.try_emplace(actions_.job(id).record.job.name, *start).second) {
                ++promised;
            }
        });
        return any;
    }
    void runs(sim::JobId id, core::Members pods) override {
        ConservativeBackfill::runs(id, pods);
        const auto first = first_.find(actions_.job(id).record.job.name);
        broken += first != first_.end() && actions_.now() > first->second ? 1 : 0;
    }

    static int promised;
    static int broken;

private:
    const sim::Actions& actions_;
    std::map<std::string, sim::SimTime> first_;
};
int Watched::promised = 0;
int Watched::broken = 0;

}  // namespace

TEST_CASE("backfill: no promise is broken under load", "[property][backfill]") {
    // Estimates are right, or up to three times too long; there are pods, and gangs of any size.
    constexpr std::int64_t count = 2000;
    for (std::uint64_t seed = 0; seed < cases(5); ++seed) {
        CAPTURE(seed);
        Dice dice(seed);
        std::vector<sim::Job> jobs;
        std::int64_t at = 0;
        for (std::int64_t i = 0; i < count; ++i) {
            at += dice.roll(0, 600);
            const std::int64_t duration = dice.roll(1, 20'000);
            sim::Job job = job_of(std::to_string(i),
                                  dice.roll(1, 8),
                                  std::chrono::milliseconds(at),
                                  std::chrono::milliseconds(duration));
            job.estimate = std::chrono::milliseconds(duration * dice.roll(10, 30) / 10);
            if (dice.chance(10)) {
                job.group = true;
                job.size = job.min_available = dice.roll(2, 6);
                job.constraints = core::LevelConstraints(2);
            }
            jobs.push_back(std::move(job));
        }
        sim::QueuePolicy policy = sim::queue_policy("conservative-backfill");
        policy.backfilling = [](sim::BackfillContext context) -> std::unique_ptr<sim::Backfilling> {
            return std::make_unique<Watched>(context);
        };
        const QueueRun run(servers_of_units(std::vector<core::Amount>(24, 8)), jobs, policy);
        REQUIRE(std::ranges::all_of(run.records,
                                    [](const auto& job) { return job.start.has_value(); }));
        CHECK(Watched::promised > count / 4);
        CHECK(Watched::broken == 0);
    }
}
