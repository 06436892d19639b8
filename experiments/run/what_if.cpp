#include "experiments/run/what_if.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <thread>

#include "core/elastic_quota/quota_names.hpp"
#include "core/elastic_quota/quota_rules.hpp"
#include "experiments/run/run_experiment.hpp"

namespace berth::experiments {
namespace {

constexpr int parts = 64;

/// Keeps how long the jobs of one quota waited.
class Waits final : public sim::RecordSink {
public:
    explicit Waits(std::string quota) : quota_(std::move(quota)) {}
    void job(const sim::JobRecord& record) override {
        if (record.job.quota == quota_) {
            records.push_back(record.start ? std::optional(record.waited()) : std::nullopt);
            since.push_back(record.job.submit + record.ran_before);
        }
    }
    void sample(sim::SimTime /*at*/, std::span<const double> /*values*/) override {}

    std::vector<std::optional<sim::SimTime>> records;  ///< Nothing for one that waits at the end.
    std::vector<sim::SimTime> since;

private:
    std::string quota_;
};

/// All replications, in threads: how long each job of the quota waited.
class Trial {
public:
    Trial(const ExperimentSpec& spec, const std::string& quota, sim::RunControl& control)
        : spec_(spec), quota_(quota), control_(control) {}

    std::vector<sim::SimTime> waits(unsigned threads) {
        std::vector<std::thread> others;
        for (unsigned i = 1; i < std::min(threads, spec_.replications); ++i) {
            others.emplace_back([this] { work(); });
        }
        work();
        for (std::thread& thread : others) {
            thread.join();
        }
        std::ranges::sort(waits_);
        return std::move(waits_);
    }

private:
    void work() {
        for (std::uint32_t next = next_++; next < spec_.replications && !control_.stop;
             next = next_++) {
            const std::uint64_t seed = spec_.seed + next;
            core::Ledger ledger(spec_.topology);
            occupy_background(spec_.workload, seed, ledger);
            const auto source = make_workload(spec_.workload, seed);
            Waits sink(quota_);
            sim::Simulation simulation(ledger, *source, spec_.settings, sink, control_);
            const sim::SimTime end = simulation.run().end;
            const std::lock_guard lock(mutex_);
            for (std::size_t i = 0; i < sink.records.size(); ++i) {
                waits_.push_back(sink.records[i].value_or(end - sink.since[i]));
            }
        }
    }

    const ExperimentSpec& spec_;
    const std::string& quota_;
    sim::RunControl& control_;
    std::atomic<std::uint32_t> next_ = 0;
    std::mutex mutex_;
    std::vector<sim::SimTime> waits_;
};

core::ElasticQuota& find(std::vector<core::ElasticQuota>& quotas, std::string_view name) {
    return *std::ranges::find(quotas, name, &core::ElasticQuota::name);
}

/// The quotas with another min for one of them, and above it at least what the children have.
std::vector<core::ElasticQuota> with_min(std::vector<core::ElasticQuota> quotas,
                                         const std::string& name,
                                         const core::Quantities& min,
                                         std::vector<std::string>& raised) {
    find(quotas, name).min = min;
    for (std::string above = find(quotas, name).parent;
         !above.empty() && above != core::root_quota_name;
         above = find(quotas, above).parent) {
        core::Quantities sum;
        for (const core::ElasticQuota& quota : quotas) {
            for (const auto& [resource, amount] : quota.min) {
                sum[resource] += quota.parent == above ? amount : 0;
            }
        }
        core::ElasticQuota& parent = find(quotas, above);
        bool grown = false;
        for (const auto& [resource, amount] : sum) {
            core::Quantity& own = parent.min[resource];
            grown = grown || own < amount;
            own = std::max(own, amount);
        }
        if (grown) {
            raised.push_back(above);
        }
    }
    return quotas;
}

core::Refusal check(const std::vector<core::ElasticQuota>& quotas) {
    core::QuotaRules rules;
    for (const core::ElasticQuota& quota : quotas) {
        if (core::Refusal refusal = rules.create(quota)) {
            return refusal;
        }
    }
    return std::nullopt;
}

/// One question being answered.
class Search {
public:
    Search(const ExperimentSpec& spec,
           const MinQuestion& question,
           unsigned threads,
           sim::RunControl& control)
        : spec_(spec),
          question_(question),
          threads_(threads),
          control_(control),
          quotas_(spec.settings.quotas->quotas) {}

    MinAnswer run() {
        (void)try_min(-1);
        int too_little = -1;
        int enough = most_allowed();
        if (enough < 0 || !try_min(enough)) {
            return std::move(answer_);
        }
        while (enough - too_little > 1 && !control_.stop) {
            const int middle = too_little + (enough - too_little) / 2;
            (try_min(middle) ? enough : too_little) = middle;
        }
        answer_.interrupted = control_.stop;
        answer_.least =
            *std::ranges::find(answer_.trials, enough, [](const MinTrial& t) { return t.share; });
        return std::move(answer_);
    }

private:
    core::Quantities min_of(int share) {
        const core::ElasticQuota& quota = find(quotas_, question_.quota);
        core::Quantities min = quota.min;
        if (share >= 0) {
            for (const auto& [resource, max] : quota.max) {
                // Whole units, rounded up: nobody writes 3/64 of a byte.
                constexpr core::Quantity unit = 1'000'000'000;
                const core::Quantity exact = max * share / parts;
                min[resource] = std::min(max, (exact + unit - 1) / unit * unit);
            }
        }
        return min;
    }

    /// The largest part of max that the rules allow.
    int most_allowed() {
        for (int share = parts; share >= 0; --share) {
            std::vector<std::string> raised;
            const core::Refusal refusal =
                check(with_min(quotas_, question_.quota, min_of(share), raised));
            if (!refusal) {
                return share;
            }
            answer_.most_allowed = *refusal;
        }
        return -1;
    }

    /// Whether min as that part of max is enough.
    bool try_min(int share) {
        MinTrial trial;
        trial.share = share;
        trial.min = min_of(share);
        trial.max = find(quotas_, question_.quota).max;
        ExperimentSpec changed = spec_;
        if (share >= 0) {
            changed.settings.quotas->quotas =
                with_min(quotas_, question_.quota, trial.min, trial.raised);
        }
        const std::vector<sim::SimTime> waits =
            Trial(changed, question_.quota, control_).waits(threads_);
        if (!waits.empty()) {
            // Nearest rank: a wait that occurred.
            const auto rank = static_cast<std::size_t>(
                std::ceil(question_.quantile * static_cast<double>(waits.size())));
            trial.wait = waits[std::max<std::size_t>(rank, 1) - 1];
        }
        const bool enough = !trial.wait || *trial.wait <= question_.wait;
        answer_.trials.push_back(std::move(trial));
        return enough;
    }

    const ExperimentSpec& spec_;
    const MinQuestion& question_;
    unsigned threads_;
    sim::RunControl& control_;
    std::vector<core::ElasticQuota> quotas_;
    MinAnswer answer_;
};

}  // namespace

MinAnswer find_least_min(const ExperimentSpec& spec,
                         const MinQuestion& question,
                         unsigned threads,
                         sim::RunControl& control) {
    std::vector<std::string> names;
    for (const core::ElasticQuota& quota :
         spec.settings.quotas ? spec.settings.quotas->quotas : std::vector<core::ElasticQuota>()) {
        if (!quota.is_parent) {
            names.push_back(quota.name);
        }
    }
    if (std::ranges::find(names, question.quota) == names.end()) {
        throw core::InputError(
            fmt::format("berth what-if: error: no quota '{}' that pods may be in: expected {}{}",
                        question.quota,
                        names.empty() ? "an experiment with quotas" : core::alternatives(names),
                        core::suggestion(question.quota, names)));
    }
    return Search(spec, question, threads, control).run();
}

}  // namespace berth::experiments
