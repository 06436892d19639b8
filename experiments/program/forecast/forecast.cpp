#include "experiments/program/forecast/forecast.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "core/support/source.hpp"
#include "experiments/program/forecast/possible_future.hpp"
#include "experiments/program/forecast/settings_at.hpp"
#include "experiments/program/forecast/start_watch.hpp"
#include "experiments/program/run/make_scheduler.hpp"
#include "experiments/program/run/replicate.hpp"
#include "experiments/program/support/in_threads.hpp"
#include "sim/clock/random.hpp"
#include "sim/job/records.hpp"
#include "sim/run/simulation.hpp"

namespace berth::experiments {
namespace {

using sim::SimTime;

/// The replications of one forecast.
class Replications {
public:
    Replications(const ExperimentSpec& spec,
                 const PossibleFutures& futures,
                 const std::vector<std::string>& names,
                 sim::Settings run,
                 const ForecastSettings& settings,
                 const sim::RunControl& all)
        : spec_(spec),
          futures_(futures),
          names_(names),
          settings_(settings),
          run_(std::move(run)),
          all_(all),
          before_(cluster_of(spec, 0)) {}

    [[nodiscard]] bool can_preempt() const {
        return run_.quotas || run_.admission != nullptr || run_.scheduler != nullptr;
    }

    /// `waits_for`: what keeps each job from starting at first; nullptr: this is not asked.
    [[nodiscard]] std::vector<WatchedStart> run(std::uint32_t replication,
                                                std::vector<std::string>* waits_for) const {
        const std::uint64_t seed = sim::replication_seed(settings_.seed, replication);
        std::vector<WatchedStart> starts;
        core::Ledger ledger = before_;
        WatchedSource source(futures_.draw(seed));
        sim::NoRecords sink;
        sim::RunControl control;
        const sim::MakeScheduler own = make_scheduler(spec_, run_, sink, source, replication, seed);
        const sim::MakeScheduler make = [&](sim::Actions& actions) {
            auto watch = std::make_unique<StartWatch>(
                own ? own(actions) : sim::scheduler_of(run_, sink, actions),
                actions,
                names_,
                can_preempt(),
                starts,
                control,
                all_);
            watch->ask_at_first(waits_for);
            return watch;
        };
        (void)sim::Simulation(ledger, source, run_, sink, control, make).run();
        return starts;
    }

private:
    const ExperimentSpec& spec_;
    const PossibleFutures& futures_;
    const std::vector<std::string>& names_;
    const ForecastSettings& settings_;
    sim::Settings run_;
    const sim::RunControl& all_;
    core::Ledger before_;  ///< The cluster with what is in use besides jobs.
};

}  // namespace

Forecast forecast_at(const ExperimentSpec& spec,
                     const Past& past,
                     const PastScores& scores,
                     SimTime now,
                     const ForecastSettings& settings,
                     const sim::RunControl& control,
                     const ChangedJob* changed) {
    const PossibleFutures futures(past, scores, now, settings.method, changed);
    using RunTimes = ForecastMethod::RunTimes;
    const bool learns = settings.method.run_times == RunTimes::learned ||
                        settings.method.run_times == RunTimes::pooled;
    if (learns && futures.basis().ended == 0) {
        throw core::InputError(
            "berth forecast: error: no job has ended by then, so that nothing tells how long jobs "
            "run: expected --history FILE with jobs that have ended, a later --at, or --run-times "
            "limits");
    }
    std::vector<std::string> names;
    for (const std::size_t i : futures.waiting()) {
        names.push_back(past.jobs()[i].job.name);
    }
    Forecast forecast{futures.basis(), {}};
    const Replications replications(
        spec, futures, names, settings_at(spec, past, now, settings.horizon), settings, control);
    forecast.basis.learns = learns;
    forecast.basis.can_preempt = replications.can_preempt();
    std::vector<std::vector<WatchedStart>> starts(settings.replications);
    std::vector<std::string> waits_for(names.size());
    in_threads(settings.threads, settings.replications, [&](std::size_t replication) {
        if (!control.stop) {
            starts[replication] = replications.run(static_cast<std::uint32_t>(replication),
                                                   replication == 0 ? &waits_for : nullptr);
        }
    });
    if (control.stop) {
        return forecast;
    }
    for (std::size_t i = 0; i < names.size(); ++i) {
        JobForecast& job = forecast.jobs.emplace_back(futures.waiting()[i]);
        job.waits_for = std::move(waits_for[i]);
        for (const std::vector<WatchedStart>& one : starts) {
            job.starts.push_back(one[i].start);
            job.preempted += one[i].preempted ? 1 : 0;
        }
        std::ranges::sort(job.starts);
    }
    return forecast;
}

SimTime quantile_of(const std::vector<SimTime>& starts, double percent) {
    const double rank = percent / 100 * static_cast<double>(starts.size() + 1);
    const double last = static_cast<double>(starts.size());
    const auto below = static_cast<std::size_t>(std::clamp(std::floor(rank), 1.0, last));
    const auto above = static_cast<std::size_t>(std::clamp(std::ceil(rank), 1.0, last));
    const SimTime low = starts[below - 1];
    const SimTime high = starts[above - 1];
    if (high == sim::never || below == above) {
        return high;
    }
    const double part = rank - std::floor(rank);
    return low + SimTime(std::llround(part * static_cast<double>((high - low).count())));
}

}  // namespace berth::experiments
