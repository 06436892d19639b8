#include <algorithm>
#include <catch2/catch.hpp>
#include <deque>
#include <map>

#include "core/index/fit_index.hpp"
#include "core/index/scorer.hpp"
#include "sim/cluster/cluster.hpp"
#include "sim/measure/gpu_time_ledger.hpp"
#include "tests/support/dice.hpp"

using namespace berth;

namespace {

constexpr std::size_t cpu = 0;
constexpr std::size_t gpu = 1;
constexpr std::size_t nic = 2;

/// Racks with servers of two machine types, with up to 8 GPUs each.
std::shared_ptr<const core::Topology> random_servers(tests::Dice& dice) {
    core::ResourceSchema schema;
    schema.add("cpu");
    schema.add("nvidia.com/gpu");
    schema.add("koordinator.sh/rdma");
    core::TopologyBuilder builder(schema);
    for (int type = 0; type < 2; ++type) {
        core::Amounts capacity(3);
        capacity << dice.roll(1, 16) * 1000, dice.roll(type, 8) * 1000, dice.roll(0, 2);
        core::DeviceGroup devices;
        devices.kind = "gpu";
        devices.model = "G" + std::to_string(type);
        builder.add_machine_type({"type-" + std::to_string(type), capacity, {devices}});
    }
    builder.begin_level("cluster");
    builder.add_node(0, "cluster");
    builder.begin_level("server");
    const std::int64_t count = dice.roll(1, 6);
    for (std::int64_t server = 0; server < count; ++server) {
        builder.add_server(0, "s", server == 0 ? 1 : static_cast<std::uint32_t>(dice.roll(0, 1)));
    }
    return std::make_shared<const core::Topology>(builder.build());
}

/// A waiting job; job number 1 is refused by its quota.
struct Waiting {
    sim::Job job;
    sim::JobId id;
};

Waiting random_job(tests::Dice& dice) {
    Waiting out;
    out.id = sim::JobId{dice.chance(20) ? 1U : 0U};
    out.job.demand = {dice.roll(0, 8) * 1000, dice.roll(0, 16) * 500, dice.roll(0, 1)};
    if (dice.chance(40)) {
        core::GpuRequest request;
        request.models = {"G" + std::to_string(dice.roll(0, 2))};
        out.job.gpus = std::make_shared<const core::GpuRequest>(request);
    }
    if (dice.chance(50)) {
        out.job.group = true;
        out.job.size = dice.roll(1, 6);
        out.job.min_available = dice.roll(1, out.job.size);
        out.job.constraints = core::LevelConstraints(2);
        core::LevelConstraint constraint;
        constraint.hard = dice.chance(50);
        out.job.constraints->set(core::Level{1}, constraint);
    }
    return out;
}

using Uses = std::map<sim::GpuTimeUse, std::int64_t>;

/// The definition taken literally: every server is checked for every job, each time.
class PlainLedger {
public:
    PlainLedger(const core::Ledger& ledger, const std::map<std::uint64_t, Waiting>& waiting)
        : ledger_(ledger), tree_(ledger.topology()), waiting_(waiting) {}

    Uses now() const {
        Uses uses;
        std::int64_t idle = 0;
        for (std::uint32_t i = 0; i < tree_.server_count(); ++i) {
            const core::ServerId server{i};
            const std::int64_t built_in = tree_.machine_type(server).capacity(gpu);
            if (!ledger_.is_up(server)) {
                uses[sim::GpuTimeUse::failed] += built_in;
                continue;
            }
            idle += idle_on(server);
            uses[sim::GpuTimeUse::allocated] += built_in - idle_on(server);
        }
        std::vector<const Waiting*> asking;
        for (const auto& [number, waiting] : waiting_) {
            if (waiting.job.demand[gpu] > 0) {
                asking.push_back(&waiting);
            }
        }
        std::int64_t left = idle;
        for (std::size_t i = 0; i < asking.size() && i < sim::GpuTimeLedger::asked_max; ++i) {
            std::int64_t wants = 0;
            for (std::size_t j = i; j < asking.size(); ++j) {
                const bool counts = j == i || i + 1 == sim::GpuTimeLedger::asked_max;
                wants += counts ? asking[j]->job.size * asking[j]->job.demand[gpu] : 0;
            }
            const std::int64_t explained = std::min(left, wants);
            left -= explained;
            explain(*asking[i], explained, idle, uses);
        }
        uses[sim::GpuTimeUse::no_demand] += left;
        return uses;
    }

private:
    std::int64_t idle_on(core::ServerId server) const {
        const std::int64_t free = ledger_.available(tree_.node_of(server))[gpu];
        return ledger_.is_up(server) ? std::max<std::int64_t>(free, 0) : 0;
    }

    sim::GpuTimeUse why(const sim::Job& job, core::ServerId server) const {
        const auto free = ledger_.available(tree_.node_of(server));
        if (job.gpus != nullptr && !job.gpus->models.empty() &&
            job.gpus->models[0] != tree_.machine_type(server).devices[0].model) {
            return sim::GpuTimeUse::model_mismatch;
        }
        if (free[cpu] < job.demand[cpu]) {
            return sim::GpuTimeUse::cpu_or_memory;
        }
        if (free[nic] < job.demand[nic]) {
            return sim::GpuTimeUse::nic_mismatch;
        }
        return free[gpu] < job.demand[gpu] ? sim::GpuTimeUse::fragmented
                                           : sim::GpuTimeUse::scheduler;
    }

    std::int64_t places(const sim::Job& job) const {
        std::int64_t places = 0;
        for (std::uint32_t i = 0; i < tree_.server_count(); ++i) {
            const core::ServerId server{i};
            const auto free = ledger_.available(tree_.node_of(server));
            std::int64_t here = idle_on(server) > 0 ? 1'000'000 : 0;
            for (std::size_t r = 0; r < 3; ++r) {
                here = job.demand[r] > 0 ? std::min(here, free[r] / job.demand[r]) : here;
            }
            places += why(job, server) == sim::GpuTimeUse::scheduler ? here : 0;
        }
        return places;
    }

    /// Splits the explained time by what is lacking, in this order; `scheduler` means that nothing
    /// is.
    void explain(const Waiting& waiting,
                 std::int64_t explained,
                 std::int64_t idle,
                 Uses& uses) const {
        if (waiting.id.index == 1) {
            uses[sim::GpuTimeUse::quota] += explained;
            return;
        }
        const sim::Job& job = waiting.job;
        std::int64_t upto = 0;
        for (const sim::GpuTimeUse use : {sim::GpuTimeUse::scheduler,
                                          sim::GpuTimeUse::model_mismatch,
                                          sim::GpuTimeUse::cpu_or_memory,
                                          sim::GpuTimeUse::nic_mismatch,
                                          sim::GpuTimeUse::fragmented}) {
            const std::int64_t before = idle > 0 ? explained * upto / idle : 0;
            for (std::uint32_t i = 0; i < tree_.server_count(); ++i) {
                const core::ServerId server{i};
                upto += why(job, server) == use ? idle_on(server) : 0;
            }
            const std::int64_t part = (idle > 0 ? explained * upto / idle : 0) - before;
            sim::GpuTimeUse told = use;
            if (use == sim::GpuTimeUse::scheduler && job.group) {
                told = places(job) < job.min_available            ? sim::GpuTimeUse::gang_waiting
                       : job.constraints->at(core::Level{1}).hard ? sim::GpuTimeUse::split
                                                                  : use;
            }
            uses[told] += part;
        }
    }

    const core::Ledger& ledger_;
    const core::Topology& tree_;
    const std::map<std::uint64_t, Waiting>& waiting_;
};

/// Servers and jobs that change at random, with both ledgers side by side.
class Run {
public:
    explicit Run(std::uint64_t seed)
        : dice_(seed),
          tree_(random_servers(dice_)),
          ledger_(tree_),
          cluster_(ledger_, inside_),
          fast_(cluster_),
          plain_(ledger_, waiting_) {}

    void step() {
        for (std::int64_t changes = dice_.roll(0, 3); changes > 0; --changes) {
            dice_.chance(50) ? change_servers() : change_queue();
        }
        const auto over_quota = [](sim::JobId id) { return id.index == 1; };
        fast_.settle(now_, over_quota);
        const std::int64_t passed = dice_.roll(0, 5);
        for (const auto& [use, amount] : plain_.now()) {
            sums_[use] += amount * passed;
        }
        now_ += sim::SimTime(passed * 1'000'000);
        fast_.settle(now_, over_quota);
    }

    void check() const {
        std::int64_t all = 0;
        for (const sim::GpuTime& time : fast_.result()) {
            const auto plain = sums_.find(time.use);
            const std::int64_t sum = plain == sums_.end() ? 0 : plain->second;
            CAPTURE(std::string(to_string(time.use)));
            CHECK(time.gpu_seconds == Approx(static_cast<double>(sum) / 1e6));
            all += sum;
        }
        std::int64_t built_in = 0;
        for (std::uint32_t i = 0; i < tree_->server_count(); ++i) {
            built_in += tree_->machine_type(core::ServerId{i}).capacity(gpu);
        }
        CHECK(all == built_in * (now_.count() / 1'000'000));
    }

private:
    void change_servers() {
        const core::ServerId server{
            static_cast<std::uint32_t>(dice_.roll(0, tree_->server_count() - 1))};
        std::vector<std::vector<core::Amount>>& held = held_[server];
        if (!ledger_.is_up(server)) {
            ledger_.bring_up(server);
        } else if (dice_.chance(10) && held.empty()) {
            ledger_.take_down(server);
        } else if (dice_.chance(40) && !held.empty()) {
            ledger_.release(server, held.back(), 1);
            held.pop_back();
        } else {
            const auto demand = random_job(dice_).job.demand.in_a_vector();
            if (core::fit_of(ledger_.available(tree_->node_of(server)), demand) > 0) {
                ledger_.claim(server, demand, 1);
                held.push_back(demand);
            }
        }
    }

    void change_queue() {
        if (dice_.chance(40) && !waiting_.empty()) {
            auto gone = waiting_.begin();
            std::advance(gone, dice_.roll(0, std::ssize(waiting_) - 1));
            fast_.leaves(gone->first, gone->second.job);
            if (dice_.chance(30)) {  // the job asks for another size
                gone->second.job.size = dice_.roll(gone->second.job.min_available, 7);
                fast_.waits(gone->first, gone->second.job, gone->second.id);
            } else {
                waiting_.erase(gone);
            }
            return;
        }
        const auto at = waiting_.emplace(number_++, random_job(dice_)).first;
        fast_.waits(at->first, at->second.job, at->second.id);
    }

    tests::Dice dice_;
    std::shared_ptr<const core::Topology> tree_;
    core::Ledger ledger_;
    sim::InsidePlugins inside_;
    sim::Cluster cluster_;
    std::map<std::uint64_t, Waiting> waiting_;
    sim::GpuTimeLedger fast_;
    PlainLedger plain_;
    std::map<core::ServerId, std::vector<std::vector<core::Amount>>> held_;
    std::uint64_t number_ = 0;
    sim::SimTime now_{};
    Uses sums_;
};

}  // namespace

TEST_CASE("GPU time: agrees with asking every server at every instant", "[sim][gpu-time]") {
    for (std::uint64_t seed = 1; seed <= tests::cases(60); ++seed) {
        CAPTURE(seed);
        Run run(seed);
        for (int i = 0; i < 150; ++i) {
            run.step();
        }
        run.check();
    }
}
