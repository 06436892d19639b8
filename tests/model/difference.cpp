#include "tests/model/difference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/machine_allocators/machine_allocator.hpp"
#include "core/tree/device_names.hpp"
#include "sim/cluster/inside/providers/server_providers.hpp"
#include "sim/run/simulation.hpp"
#include "tests/model/plain_gpu_metrics.hpp"
#include "tests/model/plain_metrics.hpp"
#include "tests/model/plain_run.hpp"
#include "tests/support/at_arrival.hpp"
#include "tests/support/list_source.hpp"

namespace berth::tests {
namespace {

class Recorder final : public sim::RecordSink {
public:
    void job(const sim::JobRecord& record) override {
        tests::at_arrival(jobs, record.arrival) = record;
    }
    void sample(sim::SimTime /*at*/, std::span<const double> /*values*/) override {}
    void evicted(const sim::JobRecord& record, const sim::Eviction& eviction) override {
        evictions.push_back(
            {record.job.name, eviction.at, eviction.cause, eviction.ran, eviction.lost});
    }

    void quota_changed(const sim::QuotaChangeRecord& change) override {
        quota_changes_accepted.push_back(!change.refusal);
    }

    std::vector<sim::JobRecord> jobs;
    std::vector<PlainEviction> evictions;
    std::vector<bool> quota_changes_accepted;
};

std::string text(std::optional<sim::SimTime> time) {
    return time ? fmt::format("{} ns", time->count()) : "never";
}

/// Collects the differences of one item.
class Differences {
public:
    explicit Differences(std::string of) : of_(std::move(of)) {}
    void add(std::string_view what, const std::string& run, const std::string& model) {
        if (run != model) {
            out_ +=
                fmt::format("{}: {} is {} in the run, {} in the model\n", of_, what, run, model);
        }
    }
    void add(std::string_view what,
             std::optional<sim::SimTime> run,
             std::optional<sim::SimTime> model) {
        add(what, text(run), text(model));
    }
    void add(std::string_view what, std::int64_t run, std::int64_t model) {
        add(what, std::to_string(run), std::to_string(model));
    }
    [[nodiscard]] std::optional<std::string> any() const {
        return out_.empty() ? std::nullopt : std::optional(out_);
    }

private:
    std::string of_;
    std::string out_;
};

std::string text(PlainGrant grant, const PlainForest* forest) {
    std::ranges::sort(
        grant, {}, [](const PlainShare& one) { return std::tuple(one.nic, one.device); });
    std::string out;
    for (std::size_t i = 0; forest != nullptr && i < grant.size(); ++i) {
        const PlainInventory& from = forest->inventories[grant[i].device];
        out += fmt::format(", {}:{}={}",
                           forest->providers[from.provider].name,
                           from.resource_class,
                           grant[i].amount);
    }
    if (forest != nullptr) {
        return out;
    }
    for (const PlainShare& share : grant) {
        out += fmt::format(", {} {}", share.nic ? "NIC" : "GPU", share.device);
        out += share.amount > 0 ? fmt::format(" ({})", share.amount) : "";
    }
    return out;
}

/// Each member's stints as text: its number, server, times, and what it has there.
std::string stints_text(std::vector<PlainStint> stints, const PlainForest* forest) {
    std::ranges::sort(
        stints, {}, [](const PlainStint& stint) { return std::tuple(stint.number, stint.start); });
    std::string out;
    for (const PlainStint& stint : stints) {
        out += fmt::format(" [{} on {} from {} to {}{}]",
                           stint.number,
                           stint.server,
                           text(stint.start),
                           text(stint.finish),
                           text(stint.grant, forest));
    }
    return out;
}

/// The model's inventories from which the run took something.
PlainGrant plain_grant(const sim::ProviderUse& use, const PlainForest& forest) {
    PlainGrant out;
    for (const sim::ProviderUse::Part& part : use.parts) {
        const auto provider = std::ranges::find(
            forest.providers, use.forest->name(part.provider), &PlainProvider::name);
        const std::string& resource_class = use.forest->classes().name(part.type);
        const auto number = static_cast<std::size_t>(provider - forest.providers.begin());
        out.push_back({forest.inventory(number, resource_class).value(), part.amount});
    }
    return out;
}

/// A grant of the run. For an allocator's devices, the run only reports which they are, not how
/// much of each.
PlainGrant plain_grant(const sim::Grant& grant, const PlainForest* forest) {
    PlainGrant out;
    if (forest != nullptr && grant.providers != nullptr) {
        return plain_grant(*grant.providers, *forest);
    }
    core::for_each_bit(grant.gpus.devices, [&](std::size_t device) {
        out.push_back({device, grant.gpus.milli, false});
    });
    if (grant.devices != nullptr) {
        core::for_each_bit(grant.devices->gpus,
                           [&](std::size_t device) { out.push_back({device, 0, false}); });
        core::for_each_bit(grant.devices->nics,
                           [&](std::size_t device) { out.push_back({device, 0, true}); });
    }
    return out;
}

std::vector<PlainStint> members_of(const sim::JobRecord& record, const PlainForest* forest) {
    std::vector<PlainStint> out;
    for (const sim::Stint& stint : record.stints) {
        for (core::Members i = 0; i < stint.members; ++i) {
            PlainStint& member = out.emplace_back(
                PlainStint{stint.first + i, stint.server.index, stint.start, stint.finish});
            if (!stint.grants.empty()) {
                member.grant = plain_grant(stint.grants[static_cast<std::size_t>(i)], forest);
            }
        }
    }
    return out;
}

std::string past_text(core::Members number, const sim::MemberPast& past) {
    return fmt::format(" [{} came {} ran {} kept {} lost {} evicted {}]",
                       number,
                       past.submit.count(),
                       past.ran.count(),
                       past.kept.count(),
                       past.lost.count(),
                       fmt::join(past.evictions, "+"));
}

/// The pasts of members that were evicted before, or that came after their job.
std::string pasts_text(const sim::JobRecord& record) {
    std::string out;
    for (std::size_t i = 0; i < record.pasts.size(); ++i) {
        const sim::MemberPast& past = record.pasts[i];
        if (sim::any(past.evictions) || past.submit != record.job.submit) {
            out += past_text(static_cast<core::Members>(i), past);
        }
    }
    return out;
}

std::string pasts_text(const PlainJobState& job) {
    std::string out;
    for (const auto& [number, past] : job.pasts) {
        if (sim::any(past.evictions) || past.submit != job.job.submit) {
            out += past_text(number, {past.submit, past.ran, past.kept, past.lost, past.evictions});
        }
    }
    return out;
}

std::optional<std::string> difference(const sim::JobRecord& run,
                                      const PlainJobState& model,
                                      const PlainForest* forest) {
    Differences found(run.job.name);
    found.add("the name", run.job.name, model.job.name);
    found.add(
        "the outcome", std::string(to_string(run.outcome)), std::string(to_string(model.outcome)));
    found.add("the start", run.start, model.start);
    found.add("the finish", run.finish, model.finish);
    found.add("the quota", run.job.quota, model.job.quota);
    found.add("the size", run.job.size, model.job.size);
    found.add("minAvailable", run.job.min_available, model.job.min_available);
    if (model.start) {
        found.add("the number placed", run.placed, model.placed);
        found.add("the factor", run.run_time_factor, model.factor);
    }
    std::vector<PlainStint> stints = model.stints;
    for (PlainStint& stint : stints) {
        for (PlainShare& share : stint.grant) {
            share.amount = run.job.devices != nullptr ? 0 : share.amount;
        }
    }
    found.add("what its members did",
              stints_text(members_of(run, forest), forest),
              stints_text(stints, forest));
    found.add("what they did before", pasts_text(run), pasts_text(model));
    found.add("resizes refused", run.resizes_refused, model.resizes_refused);
    found.add("the time it ran before", run.ran_before, model.ran_before);
    found.add("the lost work", run.lost, model.lost);
    return found.any();
}

}  // namespace

namespace {

/// Compares the metrics that the model has, within the rounding of sums of doubles in another
/// order.
std::string difference_of_metrics(const std::vector<sim::Metric>& run,
                                  const std::map<std::string, double>& model) {
    std::string out;
    for (const auto& [name, value] : model) {
        const auto known = std::ranges::find(run, name, &sim::Metric::name);
        const std::optional<double> found = known == run.end() ? std::nullopt : known->value;
        if (known != run.end() && !known->value && known->at_least) {
            continue;  // the true value is larger, since some pods still wait
        }
        constexpr double part = 1e-9;
        if (!found || std::abs(*found - value) > part * std::max(std::abs(value), 1.0)) {
            out += fmt::format("{} is {} in the run, {} in the model\n",
                               name,
                               found ? std::to_string(*found) : "absent",
                               value);
        }
    }
    return out;
}

}  // namespace

std::optional<std::string> difference(const PlainCase& of) {
    core::Ledger ledger(of.tree.topology());
    for (std::uint32_t server = 0; server < of.tree.servers(); ++server) {
        ledger.occupy(core::ServerId{server}, of.outside[server]);
    }
    const sim::Settings settings = of.all_settings();
    ListSource source(of.jobs);
    Recorder run;
    sim::RunControl control;
    sim::Simulation simulation(ledger, source, settings, run, control);  // owns what it granted
    const sim::RunResult result = simulation.run();
    PlainRun model(of);
    model.run();
    if (model.any_tie) {
        return std::nullopt;
    }

    Differences whole("the run");
    whole.add("the number of jobs", std::ssize(run.jobs), std::ssize(model.jobs));
    // A late refresh of runtimes that starts no job is not reported anywhere.
    whole.add("the end", of.settings.quotas ? model.end : result.end, model.end);
    const auto as_text = [](const std::vector<PlainEviction>& evictions) {
        std::string out;
        for (const PlainEviction& each : evictions) {
            out += fmt::format(" [{} at {} for {}, ran {}, lost {}]",
                               each.job,
                               each.at.count(),
                               to_name(each.cause),
                               each.ran.count(),
                               each.lost.count());
        }
        return out;
    };
    whole.add("the changes of quotas that were accepted",
              fmt::format("{}", fmt::join(run.quota_changes_accepted, " ")),
              fmt::format("{}", fmt::join(model.quota_changes_accepted, " ")));
    whole.add("who could have preempted",
              "nobody",
              model.overlooked.empty() ? "nobody" : model.overlooked);
    whole.add("the list of evictions", as_text(run.evictions), as_text(model.evictions));
    std::string all = whole.any().value_or("");
    if (!of.settings.quotas) {
        std::map<std::string, double> metrics = plain_metrics(model, of);
        if (of.settings.profile.inside.gpus) {
            add_gpu_metrics(model, of, metrics);
        }
        all += difference_of_metrics(result.metrics, metrics);
    }
    const PlainCluster& cluster = model.cluster();
    const PlainForest* forest = cluster.has_providers ? &cluster.providers.forest() : nullptr;
    for (std::size_t i = 0; i < std::min(run.jobs.size(), model.jobs.size()); ++i) {
        all += difference(run.jobs[i], model.jobs[i], forest).value_or("");
    }
    return all.empty() ? std::nullopt : std::optional(all);
}

}  // namespace berth::tests
