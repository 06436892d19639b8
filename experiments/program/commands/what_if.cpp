#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iostream>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "core/elastic_quota/quota_names.hpp"
#include "core/elastic_quota/quota_rules.hpp"
#include "core/support/text.hpp"
#include "core/support/value.hpp"
#include "experiments/program/commands/command.hpp"
#include "experiments/program/commands/run_options.hpp"
#include "experiments/program/config/document/fields.hpp"
#include "experiments/program/config/experiment_spec.hpp"
#include "experiments/program/config/quota/read_quota_settings.hpp"
#include "experiments/program/run/replicate.hpp"
#include "experiments/program/support/in_threads.hpp"
#include "experiments/program/why/search.hpp"
#include "sim/run/run_control.hpp"

namespace berth::experiments {
namespace {

namespace po = boost::program_options;

/// How much min does a quota need so that its jobs wait at most a given time?
struct MinQuestion {
    std::string quota;
    sim::SimTime wait{};
    double quantile = 1;  ///< The share of its jobs that must not wait longer; 1: all of them.
};

/// A min that was tried, and how long the quota's jobs waited with it.
struct MinTrial {
    int share = 0;  ///< The part of max that is tried, in 64ths; -1: the min of the experiment.
    core::Quantities min;
    core::Quantities max;
    /// The wait at the quantile, over all replications. A job that still waits at the end counts
    /// with the time that it has waited. Nothing if the quota has no jobs.
    std::optional<sim::SimTime> wait;
    std::vector<std::string> raised;  ///< Quotas above it of which min had to grow too.
};

struct MinAnswer {
    std::vector<MinTrial> trials;   ///< Ordered by when they were tried.
    std::optional<MinTrial> least;  ///< The smallest that is enough; nothing if none is.
    /// For `least`: the mins that the cluster cannot guarantee all at once.
    std::vector<std::string> too_much;
    std::string most_allowed;  ///< Why min could not be tried up to max; empty if it could.
};

constexpr int parts = 64;

/// Records how long the jobs of one quota waited, for the jobs in the window.
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

    std::vector<std::optional<sim::SimTime>> records;  ///< Nothing for a job that still waits at
                                                       ///< the end.
    std::vector<sim::SimTime> since;

private:
    const std::string& quota_;
    sim::Window window_;
};

/// How long each job of the quota waited, in all replications, in ascending order.
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

/// The quotas with another min for one of them. Quotas above it get at least the sum over their
/// children.
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

/// Whether the rules refuse these quotas, which they then have.
core::Refusal check(const std::vector<core::ElasticQuota>& quotas, core::QuotaRules& rules) {
    for (const core::ElasticQuota& quota : quotas) {
        if (core::Refusal refusal = rules.create(quota)) {
            return refusal;
        }
    }
    return std::nullopt;
}

/// The search for the answer to one question.
class MinSearch {
public:
    MinSearch(const ExperimentSpec& spec,
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
        const int most = most_allowed();
        if (most < 0 || !try_min(most)) {
            return std::move(answer_);
        }
        const int enough =
            nearest_enough(-1, most, [&](int share) { return !control_.stop && try_min(share); });
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
                // Rounded up to whole units: users do not write 3/64 of a byte.
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
            core::QuotaRules rules;
            const core::Refusal refusal =
                check(with_min(quotas_, question_.quota, min_of(share), raised), rules);
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
        return check(with_min(quotas_, question_.quota, min, raised), rules)
                   ? std::vector<std::string>()
                   : large_mins(rules, *spec_.topology);
    }

    /// Whether min is enough as this part of max.
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
            // The nearest rank, which is a wait that occurred.
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

/// Bisects over min as a part of max, in 64ths, with the same part for every resource. This takes
/// at most 8 runs of all replications. Quotas above get at least the sum of their children's min.
///
/// Errors: core::InputError for a quota that the experiment does not have, or that is a parent in
///         it.
/// Limits: waits need not fall as min grows, because another order of starts can be unlucky. The
///         answer is therefore a min that is enough, next to one that is not, which is 1/64 of max
///         smaller.
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
    return MinSearch(spec, question, threads, control).run();
}

std::string amounts(const core::Quantities& list) {
    std::vector<std::string> texts;
    for (const auto& [resource, amount] : list) {
        texts.push_back(fmt::format("{}: {}", resource, core::format_quantity(resource, amount)));
    }
    return fmt::format("{{{}}}", core::join(texts, ", "));
}

MinQuestion question_of(const po::variables_map& values) {
    MinQuestion question;
    if (values.count("quota") == 0 || values.count("wait") == 0) {
        throw core::InputError(
            "berth what-if: error: no question: expected --quota NAME and --wait DURATION");
    }
    question.quota = values["quota"].as<std::string>();
    core::Diagnostics diagnostics;
    question.wait =
        read_duration(option_value("--wait", values["wait"].as<std::string>()), diagnostics)
            .value_or(sim::SimTime(0));
    if (values.count("quantile") > 0) {
        const auto text = values["quantile"].as<std::string>();
        question.quantile =
            read_number(option_value("--quantile", text), diagnostics, 0, 1).value_or(1);
    }
    diagnostics.throw_if_failed();
    return question;
}

void print(const MinAnswer& answer, const MinQuestion& question) {
    for (const MinTrial& trial : answer.trials) {
        const std::string share =
            trial.share < 0 ? "as it is" : fmt::format("{}/64 of max", trial.share);
        std::cout << fmt::format("  {:<13} min {}: {}\n",
                                 share,
                                 amounts(trial.min),
                                 trial.wait ? "wait " + sim::time_text(*trial.wait) : "no jobs");
    }
    if (!answer.most_allowed.empty()) {
        std::cout << fmt::format("  a larger min is not allowed: {}\n", answer.most_allowed);
    }
    if (!answer.least) {
        std::cout << fmt::format("no min of {} is enough\n", question.quota);
        return;
    }
    std::cout << fmt::format("{} needs min {}\n", question.quota, amounts(answer.least->min));
    for (const std::string& raised : answer.least->raised) {
        std::cout << fmt::format("  and {} a min of at least its children's sum\n", raised);
    }
    for (const std::string& sentence : answer.too_much) {
        std::cout << fmt::format("  but {}\n", sentence);
    }
}

}  // namespace

int run_what_if(const std::vector<std::string>& arguments) {
    po::options_description options("options");
    auto add = options.add_options();
    add("quota", po::value<std::string>()->value_name("NAME"), "the quota that is asked about");
    add("wait",
        po::value<std::string>()->value_name("DURATION"),
        "how long its jobs may wait: 10m");
    add("quantile",
        po::value<std::string>()->value_name("Q"),
        "the part of its jobs that this must hold for (default 1: all)");
    add_run_options(options);
    const auto values = parse_arguments("what-if", arguments, options, "EXPERIMENT.yaml", 1);
    if (!values) {
        return exit_done;
    }
    const std::string file = needed_arguments(*values, "what-if", "EXPERIMENT.yaml")[0];
    const MinQuestion question = question_of(*values);
    const ExperimentSpec spec = load_experiment(file, *values).spec;
    sim::RunControl& control = interruptible_control();
    const MinAnswer answer = find_least_min(spec, question, threads_of(*values), control);
    if (control.stop) {
        std::cerr << fmt::format("{}: interrupted: no answer\n", spec.name);
        return exit_interrupted;
    }
    std::cout << fmt::format(
        "{}: how much min must {} have so that {} of its jobs wait at most "
        "{}, over {} replication{}?\n",
        spec.name,
        question.quota,
        question.quantile == 1 ? "all" : fmt::format("{} %", question.quantile * 100),
        sim::time_text(question.wait),
        spec.replications,
        spec.replications == 1 ? "" : "s");
    print(answer, question);
    return exit_done;
}

}  // namespace berth::experiments
