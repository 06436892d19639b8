#include "experiments/program/run/what_if.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <span>

#include "core/elastic_quota/quota_names.hpp"
#include "core/elastic_quota/quota_rules.hpp"
#include "core/support/value.hpp"
#include "experiments/program/config/quota/read_quota_settings.hpp"
#include "experiments/program/run/find_window.hpp"
#include "experiments/program/run/replicate.hpp"
#include "experiments/program/support/in_threads.hpp"

namespace berth::experiments {
namespace {

constexpr int parts = 64;

/// Keeps how long the jobs of one quota waited, of those that the window counts.
class Waits final : public sim::RecordSink {
public:
    Waits(const std::string& quota, sim::Window window) : quota_(quota), window_(window) {}
    void job(const sim::JobRecord& record) override {
        if (record.job.quota == quota_ && window_.counts(record.job.submit)) {
            records.push_back(record.start ? std::optional(record.waited()) : std::nullopt);
            since.push_back(record.job.submit + record.ran_before);
        }
    }
    void sample(sim::SimTime /*at*/, std::span<const double> /*values*/) override {}

    std::vector<std::optional<sim::SimTime>> records;  ///< Nothing for one that waits at the end.
    std::vector<sim::SimTime> since;

private:
    const std::string& quota_;
    sim::Window window_;
};

/// How long each job of the quota waited, in all replications; ascending.
std::vector<sim::SimTime> waits_of(const ExperimentSpec& spec,
                                   const std::string& quota,
                                   unsigned threads,
                                   sim::RunControl& control) {
    std::mutex mutex;
    std::vector<sim::SimTime> waits;
    in_threads(threads, spec.replications, [&](std::size_t number) {
        if (control.stop) {
            return;
        }
        const auto replication = static_cast<std::uint32_t>(number);
        core::Ledger ledger = cluster_of(spec, replication);
        Waits sink(quota, spec.settings.window);
        const sim::SimTime end = replicate(spec, replication, ledger, sink, control).end;
        const std::lock_guard lock(mutex);
        for (std::size_t i = 0; i < sink.records.size(); ++i) {
            waits.push_back(sink.records[i].value_or(end - sink.since[i]));
        }
    });
    std::ranges::sort(waits);
    return waits;
}

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
        answer_.too_much = too_much(answer_.least->min);
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

    std::vector<std::string> too_much(const core::Quantities& min) const {
        core::QuotaRules rules;
        std::vector<std::string> raised;
        for (const auto& quota : with_min(quotas_, question_.quota, min, raised)) {
            if (rules.create(quota)) {
                return {};
            }
        }
        return large_mins(rules, *spec_.topology);
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
        if (spec_.find_warm_up) {
            changed.settings.window = find_window(changed, threads_, control_).window;
        }
        const std::vector<sim::SimTime> waits =
            waits_of(changed, question_.quota, threads_, control_);
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
