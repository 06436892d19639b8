#include "experiments/program/why/story.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <utility>

#include "core/support/source.hpp"
#include "experiments/program/run/pods_table.hpp"
#include "experiments/program/run/run_experiment.hpp"
#include "experiments/program/why/profile_changes.hpp"
#include "experiments/program/why/trial.hpp"
#include "sim/clock/random.hpp"
#include "sim/run/simulation.hpp"
#include "workloads/failures/failure_model.hpp"

namespace berth::experiments {
namespace {

bool was_on(const sim::Stints& stints, core::ServerId server) {
    return std::ranges::find(stints, server, &sim::Stint::server) != stints.end();
}

/// Observes a run for what happens to one job.
class Watcher : public sim::JobObserver, public sim::RecordSink {
public:
    Watcher(const ExperimentSpec& spec, const WhyJob& which) : spec_(spec) { story.which = which; }

    void job(const sim::JobRecord& record) override {
        if (record.arrival == story.which.arrival) {
            keep(record);
            record_ = nullptr;
        }
    }
    void arrives_as(std::uint64_t arrival) override { story.which.arrival = arrival; }
    void sample(sim::SimTime /*at*/, std::span<const double> /*values*/) override {}
    void evicted(const sim::JobRecord& record, const sim::Eviction& eviction) override {
        if (&record == record_) {
            Story::Lost& lost = story.evictions.emplace_back(eviction, record.stints);
            for (sim::Stint& stint : lost.stints) {
                stint.grants.clear();
            }
            lost.failure = taken_away(*spec_.topology, spec_.settings, eviction, lost.stints);
        }
    }
    void outage(const sim::Outage& outage) override {
        for (Story::Lost& lost : story.evictions) {
            if (!lost.failure) {
                lost.failure = failed_under(
                    *spec_.topology, spec_.settings, outage, lost.eviction, lost.stints);
            }
        }
    }
    void turn(const sim::Turn& turn) override {
        record_ = &turn.record;  // valid until job() is called with it
        look(turn);
        ++turns_;
    }

    Story story;

protected:
    virtual void look(const sim::Turn& turn) = 0;
    [[nodiscard]] std::uint64_t turns() const { return turns_; }

    Finder finder_;

private:
    /// Copies the record without its grants, which point into the run. The story is told after the
    /// run.
    void keep(const sim::JobRecord& record) {
        story.record = record;
        for (Story::Lost& lost : story.evictions) {
            const auto interruption =
                std::ranges::find(record.interruptions, lost.eviction.at, &sim::Interruption::at);
            if (interruption != record.interruptions.end()) {
                lost.recovered = interruption->recovered;
            }
        }
        for (sim::Stint& stint : story.record.stints) {
            std::vector<std::string>& gpus = story.gpus.emplace_back();
            for (const sim::Grant& grant : std::exchange(stint.grants, {})) {
                gpus.push_back(gpu_indices(grant));
            }
        }
    }

    const ExperimentSpec& spec_;
    const sim::JobRecord* record_ = nullptr;
    std::uint64_t turns_ = 0;
};

/// Records how far each attempt came.
class Listener final : public Watcher {
public:
    using Watcher::Watcher;

    void job(const sim::JobRecord& record) override {
        Watcher::job(record);
        if (record.arrival == story.which.arrival) {
            settle(record);
        }
    }

protected:
    void look(const sim::Turn& turn) override {
        settle(turn.record);
        last_ = {turns(), turn.at, finder_.find_out(turn)};
    }

private:
    struct Last {
        std::uint64_t number = 0;
        sim::SimTime at{};
        Finding finding;
    };

    /// Records the result of the previous attempt. An attempt that the queue's policy held up may
    /// still have led to a start, if it delays no job before it.
    void settle(const sim::JobRecord& record) {
        const auto last = std::exchange(last_, std::nullopt);
        if (!last || last->finding.stage == WhyStage::placed ||
            (last->finding.stage == WhyStage::queue && started_at(record, last->at))) {
            return;
        }
        const Finding& finding = last->finding;
        std::vector<Streak>& streaks = story.streaks;
        if (streaks.empty() || streaks.back().stage != finding.stage ||
            streaks.back().subject != finding.subject) {
            streaks.push_back(
                {finding.stage, finding.subject, last->at, last->at, 0, 0, finding.reason, ""});
        }
        Streak& streak = streaks.back();
        ++streak.count;
        ++story.attempts;
        streak.to = last->at;
        streak.last = last->number;
        streak.last_reason = finding.reason;
    }
    [[nodiscard]] bool started_at(const sim::JobRecord& record, sim::SimTime at) const {
        return (record.start && *record.start == at) ||
               std::ranges::any_of(story.evictions, [&](const Story::Lost& lost) {
                   return lost.eviction.at - lost.eviction.ran == at;
               });
    }

    std::optional<Last> last_;
};

/// Examines some attempts in detail, and then stops the run.
class CloseLook final : public Watcher {
public:
    CloseLook(const ExperimentSpec& spec,
              const WhyJob& which,
              std::set<std::uint64_t> wanted,
              sim::RunControl& control)
        : Watcher(spec, which), wanted_(std::move(wanted)), control_(control) {}

    std::map<std::uint64_t, Scene> scenes;

protected:
    void look(const sim::Turn& turn) override {
        if (!wanted_.contains(turns())) {
            return;
        }
        Scene scene{.at = turn.at,
                    .finding = finder_.find_out(turn),
                    .waiting_before = turn.waiting_before()};
        for (const RunningJob& job : started_before(turn)) {
            scene.started_before.push_back(job.record->job.name);
        }
        if (!turn.kept_out.empty()) {
            ask_scheduler(turn, scene);
        } else {
            look_at_servers(turn, scene);
        }
        scenes.emplace(turns(), std::move(scene));
        control_.stop = scenes.size() == wanted_.size() || control_.stop;
    }

private:
    void look_at_servers(const sim::Turn& turn, Scene& scene) {
        const std::vector<LevelRoom> rooms =
            turn.record.job.group ? finder_.rooms(turn) : std::vector<LevelRoom>();
        tell_rooms(turn, scene.finding, rooms, scene.rooms);
        tell_quotas(turn, scene.finding, scene.quotas);
        scene.held = who_holds(turn, scene.finding, rooms);
        scene.changes = find_changes(turn, scene.finding, rooms);
    }
    static void ask_scheduler(const sim::Turn& turn, Scene& scene) {
        if (const std::shared_ptr<sim::Inquiry> inquiry = turn.inquire()) {
            for (const SchedulerWhy& scheduler : scheduler_whys()) {
                if (scheduler.explain(turn, *inquiry, scene)) {
                    scene.scheduler = scheduler.name;
                    return;
                }
            }
        }
        scene.changes.untried.push_back("any change, since it waits for: " + scene.finding.subject);
    }

    std::set<std::uint64_t> wanted_;
    sim::RunControl& control_;
};

/// Runs one replication as `berth run` does.
sim::RunResult run_watched(const ExperimentSpec& spec, Watcher& watcher, sim::RunControl& control) {
    const std::uint64_t seed = sim::replication_seed(spec.seed, watcher.story.which.replication);
    core::Ledger ledger(spec.topology);
    occupy_background(spec.workload, seed, ledger);
    const auto source = make_workload(spec.workload, seed);
    const sim::Settings settings = settings_of(spec, seed);
    const auto failures =
        workloads::make_failures(spec.failures, spec.topology, seed, settings.until);
    sim::Simulation simulation(
        ledger, *source, settings, watcher, control, nullptr, failures.get());
    simulation.watch(watcher.story.which.number, watcher);
    return simulation.run();
}

/// The last attempt at the stage and subject at which the most attempts ended; of several with
/// equally many, the first.
std::uint64_t most_common(const std::vector<Streak>& streaks) {
    struct Sum {
        std::uint64_t count = 0;
        std::uint64_t last = 0;
    };
    std::map<std::pair<WhyStage, std::string>, Sum> sums;
    for (const Streak& streak : streaks) {
        Sum& sum = sums[{streak.stage, streak.subject}];
        sum.count += streak.count;
        sum.last = streak.last;
    }
    Sum best;
    for (const Streak& streak : streaks) {
        const Sum& sum = sums[{streak.stage, streak.subject}];
        best = sum.count > best.count ? sum : best;
    }
    return best.last;
}

}  // namespace

std::optional<WhatFailed> taken_away(const core::Topology& tree,
                                     const sim::Settings& settings,
                                     const sim::Eviction& eviction,
                                     const sim::Stints& stints) {
    if (eviction.cause != sim::EvictionCause::node_failed) {
        return std::nullopt;
    }
    const auto change =
        std::ranges::find_if(settings.node_changes, [&](const sim::NodeChange& candidate) {
            return candidate.at == eviction.at && !candidate.up && was_on(stints, candidate.server);
        });
    if (change == settings.node_changes.end()) {
        return std::nullopt;
    }
    return WhatFailed{std::string(tree.name(tree.node_of(change->server))), {}};
}

std::optional<WhatFailed> failed_under(const core::Topology& tree,
                                       const sim::Settings& settings,
                                       const sim::Outage& outage,
                                       const sim::Eviction& eviction,
                                       const sim::Stints& stints) {
    const core::Level level = tree.level_of(outage.node);
    const bool holds = std::ranges::any_of(stints, [&](const sim::Stint& stint) {
        return tree.ancestor(tree.node_of(stint.server), level) == outage.node;
    });
    if (eviction.cause != sim::EvictionCause::node_failed ||
        outage.at + settings.detection != eviction.at || !holds) {
        return std::nullopt;
    }
    return WhatFailed{outage.component, settings.failure_causes[outage.cause]};
}

std::optional<Story> tell_story(const ExperimentSpec& spec,
                                const WhyJob& which,
                                sim::RunControl& control) {
    if (spec.outside) {
        throw core::InputError(spec.outside->span,
                               "berth does not know why this scheduler decides as it does: "
                               "expected a run with a profile");
    }
    Listener listener(spec, which);
    sim::RunResult result = run_watched(spec, listener, control);
    if (result.interrupted) {
        return std::nullopt;
    }
    Story story = std::move(listener.story);
    story.metrics = std::move(result.metrics);
    story.fingerprint = result.fingerprint;
    if (const auto skipped = trace_rows_skipped(spec.workload)) {
        story.metrics.push_back({"trace_rows_skipped", static_cast<double>(*skipped)});
    }
    if (story.streaks.empty()) {
        return story;
    }
    const std::uint64_t last = story.streaks.back().last;
    const std::uint64_t common = most_common(story.streaks);
    sim::RunControl again;
    CloseLook look(spec, which, {last, common}, again);
    (void)run_watched(spec, look, again);
    story.last = look.scenes.at(last);
    if (common != last) {
        story.most_common = look.scenes.at(common);
    }
    return story;
}

}  // namespace berth::experiments
