// Runs over random valid trees and workloads, with quotas and servers that change, the recycler and
// preemption: invariants are checked after every event.

#include <algorithm>
#include <array>
#include <chrono>
#include <span>

#include <catch2/catch.hpp>

#include "core/elastic_quota/quota_rules.hpp"
#include "sim/quota/quota_manager.hpp"
#include "sim/run/simulation.hpp"
#include "tests/support/at_arrival.hpp"
#include "tests/support/list_source.hpp"
#include "tests/support/named_scorer.hpp"
#include "tests/support/random_cluster.hpp"

using namespace berth;
using core::Amount;
using core::QuotaId;
using sim::SimTime;
using tests::Dice;

namespace {

constexpr int resources = 2;

/// Checks the quotas after every event, and keeps the names of jobs that ended.
class Auditor final : public sim::RecordSink {
public:
    explicit Auditor(const core::Ledger& ledger) : ledger_(ledger) {}

    void job(const sim::JobRecord& record) override {
        tests::at_arrival(names, record.arrival) = record.job.name;
        const bool placed =
            record.outcome == sim::Outcome::finished || record.outcome == sim::Outcome::running;
        REQUIRE(record.start.has_value() == placed);
        REQUIRE(record.finish.has_value() == (record.outcome == sim::Outcome::finished));
        REQUIRE(record.reason.empty() == placed);
        // Once no event is left, no job waits that could start: none was forgotten.
        if (record.outcome == sim::Outcome::waiting && !record.job.group && runs_to_its_end) {
            CAPTURE(record.job.name, record.reason);
            REQUIRE((nobody_overtakes || record.reason.starts_with("quota ") ||
                     record.reason.starts_with("0/")));
        }
    }
    void sample(SimTime /*at*/, std::span<const double> /*values*/) override {}
    void evicted(const sim::JobRecord& record, const sim::Eviction& eviction) override {
        ++evictions[static_cast<std::size_t>(eviction.cause)];
        REQUIRE(eviction.lost <= eviction.ran);
        REQUIRE((record.job.preemptible || eviction.cause == sim::EvictionCause::node_failed));
    }
    void quota_changed(const sim::QuotaChangeRecord& change) override {
        ++(change.refusal ? refused : accepted);
    }

    void event_handled(SimTime /*at*/, sim::QuotaManager* quotas) override {
        core::QuotaTrees& trees = quotas->trees();
        const core::NodeId root = ledger_.topology().root();
        for (std::size_t r = 0; r < resources; ++r) {
            REQUIRE(trees.used(core::QuotaTrees::default_root, r) == ledger_.allocated(root, r));
            const Amount total = trees.runtime(core::QuotaTrees::default_root, r).value();
            if (total > 0) {
                check_family(trees, core::QuotaTrees::default_root, total, r);
            }
        }
    }

    bool runs_to_its_end = false;
    bool nobody_overtakes = false;  ///< Then a job may wait forever.
    std::vector<std::string> names;
    std::array<int, sim::eviction_cause_count> evictions{};
    int accepted = 0;
    int refused = 0;

private:
    static void check_family(core::QuotaTrees& trees, QuotaId parent, Amount has, std::size_t r) {
        Amount sum = 0;
        Amount used = 0;
        for (const QuotaId child : trees.children(parent)) {
            const Amount runtime = trees.runtime(child, r).value();
            REQUIRE(runtime <= trees.spec(child).max[r]);
            if (trees.children(child).empty()) {
                REQUIRE(trees.used(child, r) <= trees.child_request(child, r));
            }
            sum += runtime;
            used += trees.used(child, r);
            check_family(trees, child, runtime, r);
        }
        REQUIRE(sum <= has);
        REQUIRE((trees.is_root(parent) || trees.children(parent).empty() ||
                 used == trees.used(parent, r)));
    }
    const core::Ledger& ledger_;
};

core::Quantities quantities(Dice& dice, const core::Quantities* most, std::int64_t otherwise) {
    core::Quantities out;
    for (int r = 0; r < resources; ++r) {
        const std::string name = "r" + std::to_string(r);
        const auto limit =
            most != nullptr ? static_cast<std::int64_t>(most->at(name) / 1'000'000'000) : otherwise;
        out[name] = core::Quantity{dice.roll(0, limit)} * 1'000'000'000;
    }
    return out;
}

core::ElasticQuota random_quota(Dice& dice, const std::vector<core::ElasticQuota>& known) {
    core::ElasticQuota quota;
    quota.name = "q" + std::to_string(dice.roll(0, 99));
    for (int tries = 0; tries < 3 && !known.empty() && quota.parent.empty(); ++tries) {
        const auto at =
            static_cast<std::size_t>(dice.roll(0, static_cast<std::int64_t>(known.size()) - 1));
        if (known[at].is_parent) {
            quota.parent = known[at].name;
        }
    }
    quota.is_parent = dice.chance(40);
    quota.allow_lent_resource = dice.chance(80);
    quota.max = quantities(dice, nullptr, 40);
    quota.min = quantities(dice, &quota.max, 0);
    quota.written.is_parent = quota.is_parent ? "true" : "false";
    return quota;
}

/// Valid quotas, parents first.
std::vector<core::ElasticQuota> random_quotas(Dice& dice) {
    core::QuotaRules rules;
    std::vector<core::ElasticQuota> out;
    for (int i = 0; i < 14; ++i) {
        const core::ElasticQuota quota = random_quota(dice, out);
        if (!rules.create(quota)) {
            out.push_back(quota);
        }
    }
    return out;
}

std::vector<sim::QuotaChange> random_changes(Dice& dice,
                                             const std::vector<core::ElasticQuota>& quotas) {
    std::vector<sim::QuotaChange> changes;
    SimTime at{};
    for (int i = 0; i < 8; ++i) {
        at += std::chrono::seconds(dice.roll(0, 40));
        const core::ElasticQuota quota = random_quota(dice, quotas);
        const core::ElasticQuota& known =
            quotas[static_cast<std::size_t>(dice.roll(0, static_cast<int>(quotas.size()) - 1))];
        sim::QuotaChange change{at, sim::QuotaChange::Delete{known.name}};
        switch (dice.roll(0, 3)) {
            case 0:
                change.what = sim::QuotaChange::Create{quota};
                break;
            case 1: {
                core::ElasticQuota other = quota;
                other.name = known.name;
                other.is_parent = known.is_parent;
                change.what = sim::QuotaChange::Update{other};
                break;
            }
            case 2: {
                sim::QuotaPatch patch{known.name, {}, {}, {}, {}, {}};
                patch.max = quantities(dice, nullptr, 40);
                patch.parent = quota.parent;
                change.what = patch;
                break;
            }
            default:
                break;
        }
        changes.push_back(change);
    }
    return changes;
}

std::vector<sim::Job> random_jobs(Dice& dice, const std::vector<core::ElasticQuota>& quotas) {
    std::vector<sim::Job> jobs;
    SimTime at{};
    for (int i = 0; i < 60; ++i) {
        at += std::chrono::milliseconds(dice.chance(40) ? 0 : dice.roll(0, 9000));
        sim::Job job;
        job.name = "job-" + std::to_string(i);
        job.submit = at;
        if (dice.chance(95)) {
            job.duration = std::chrono::milliseconds(dice.roll(0, 60'000));
        }
        job.demand = {dice.roll(0, 4), dice.roll(1, 4)};
        if (job.duration && dice.chance(30)) {
            job.estimate = std::chrono::seconds(1);  // it may still run when a drain begins
        }
        job.priority = static_cast<std::int32_t>(dice.roll(0, 3));
        job.preemptible = dice.chance(80);
        const auto quota =
            static_cast<std::size_t>(dice.roll(0, static_cast<std::int64_t>(quotas.size())));
        job.quota = quota < quotas.size() ? quotas[quota].name : "nobody";
        if (dice.chance(30)) {
            job.group = true;
            job.size = dice.roll(1, 6);
            job.min_available = dice.roll(1, job.size);
            job.constraints = core::LevelConstraints(3);
            if (dice.chance(30)) {
                job.resizes = {{at + std::chrono::seconds(dice.roll(0, 20)), dice.roll(1, 6)}};
            }
        }
        jobs.push_back(std::move(job));
    }
    return jobs;
}

/// Adds drains one after another, so that none overlap.
void add_drains(Dice& dice, const core::Topology& tree, sim::Settings& settings) {
    SimTime at = std::chrono::seconds(dice.roll(0, 40));
    for (std::int64_t i = dice.roll(0, 4); i > 0; --i) {
        const SimTime until = at + std::chrono::seconds(dice.roll(1, 30));
        const core::NodeId node{static_cast<std::uint32_t>(dice.roll(0, tree.node_count() - 1))};
        const SimTime grace = dice.chance(50) ? SimTime(0) : (until - at) / dice.roll(1, 3);
        settings.drains.push_back({at, until, node, grace, dice.chance(80)});
        at = until + std::chrono::seconds(dice.roll(0, 30));
    }
}

sim::Settings random_settings(Dice& dice,
                              const core::Topology& tree,
                              const std::vector<core::ElasticQuota>& quotas) {
    sim::Settings settings;
    settings.profile.score = tests::by_scorer("best-fit");
    const auto queues = sim::queue_policies();
    const auto policy = dice.roll(0, static_cast<std::int64_t>(queues.size()) - 1);
    settings.profile.queue = sim::queue_policy(queues[static_cast<std::size_t>(policy)].name);
    settings.period = std::chrono::seconds(dice.chance(70) ? 0 : 5);
    settings.retry = dice.chance(85);
    settings.lost_work = dice.chance(50) ? 1 : 0.25;
    sim::QuotaSettings& own = settings.quotas.emplace();
    own.quotas = quotas;
    own.changes = random_changes(dice, quotas);
    own.refresh = std::chrono::seconds(dice.roll(0, 2));
    own.rules.check_parents = dice.chance(50);
    own.rules.limit = dice.chance(80) ? core::QuotaLimit::runtime : core::QuotaLimit::max;
    if (own.rules.limit == core::QuotaLimit::max || dice.chance(20)) {
        // A pod admitted by max and revoked by runtime would come and go forever.
        settings.until = std::chrono::minutes(30);
    }
    if (dice.chance(70)) {
        own.recycler.emplace().patience = std::chrono::seconds(dice.roll(0, 12));
    }
    if (dice.chance(60)) {
        own.preemption.emplace().default_group = dice.chance(50);
    }
    for (int i = 0; i < 3; ++i) {
        const core::ServerId server{
            static_cast<std::uint32_t>(dice.roll(0, tree.server_count() - 1))};
        const SimTime at = std::chrono::seconds(dice.roll(0, 100));
        settings.node_changes.push_back({at, server, false});
        settings.node_changes.push_back(
            {at + std::chrono::seconds(dice.roll(1, 60)), server, true});
    }
    std::ranges::stable_sort(settings.node_changes, {}, &sim::NodeChange::at);
    add_drains(dice, tree, settings);
    return settings;
}

}  // namespace

TEST_CASE("quotas in a run: everything is conserved at every event", "[property][quota]") {
    std::array<int, sim::eviction_cause_count> evictions{};
    int accepted = 0;
    int refused = 0;
    for (std::uint64_t seed = 0; seed < tests::cases(400); ++seed) {
        CAPTURE(seed);
        Dice dice(seed);
        const auto tree = tests::random_tree(dice, 2, 4, 12, resources);
        const std::vector<core::ElasticQuota> quotas = random_quotas(dice);
        const std::vector<sim::Job> jobs = random_jobs(dice, quotas);
        const sim::Settings settings = random_settings(dice, *tree, quotas);
        core::Ledger ledger(tree);
        ledger.occupy(core::ServerId{0}, std::vector<Amount>{1, 1});
        tests::ListSource source(jobs);
        Auditor auditor(ledger);
        auditor.runs_to_its_end = settings.until == sim::never;
        auditor.nobody_overtakes = settings.profile.queue.overtaking == sim::Overtaking::none;
        sim::RunControl control;
        (void)sim::Simulation(ledger, source, settings, auditor, control).run();
        REQUIRE(auditor.names.size() == jobs.size());
        for (std::size_t i = 0; i < jobs.size(); ++i) {
            REQUIRE(auditor.names[i] == jobs[i].name);
        }
        for (std::size_t cause = 0; cause < sim::eviction_cause_count; ++cause) {
            evictions[cause] += auditor.evictions[cause];
        }
        accepted += auditor.accepted;
        refused += auditor.refused;
    }
    // The cases are only meaningful if all of this happened.
    CHECK(*std::ranges::min_element(evictions) > 20);
    CHECK(accepted > 100);
    CHECK(refused > 100);
}
