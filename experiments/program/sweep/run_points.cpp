#include "experiments/program/sweep/run_points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <iterator>
#include <mutex>
#include <new>
#include <thread>
#include <utility>

#include "core/support/source.hpp"
#include "experiments/program/config/experiment/read_experiment.hpp"
#include "experiments/program/run/make_scheduler.hpp"
#include "experiments/program/run/run_directory.hpp"
#include "experiments/program/run/run_experiment.hpp"
#include "experiments/program/support/in_threads.hpp"
#include "experiments/program/support/progress.hpp"
#include "sim/run/invariants.hpp"

namespace berth::experiments {
namespace {

using Clock = std::chrono::steady_clock;

/// Such as `3 min 20 s`.
std::string duration_text(double seconds) {
    const auto whole = static_cast<std::int64_t>(std::max(seconds, 0.0));
    constexpr std::int64_t minute = 60;
    constexpr std::int64_t hour = 3600;
    if (whole < minute) {
        return fmt::format("{} s", whole);
    }
    if (whole < hour) {
        return fmt::format("{} min {} s", whole / minute, whole % minute);
    }
    return fmt::format("{} h {} min", whole / hour, whole % hour / minute);
}

class Runner {
public:
    Runner(const SweepSpec& sweep,
           const SweepPlan& plan,
           PointExperiments& experiments,
           const SweepDirectory& directory,
           const TableForm& tables,
           sim::RunControl& control)
        : sweep_(sweep),
          plan_(plan),
          experiments_(experiments),
          directory_(directory),
          tables_(tables),
          control_(control) {}

    PointRuns run(const std::vector<std::size_t>& wanted,
                  unsigned threads,
                  ProgressView* progress) {
        std::vector<std::size_t> order;
        std::ranges::copy_if(wanted, std::back_inserter(order), [&](std::size_t point) {
            return !directory_.has_point(plan_.keys[point]);
        });
        std::ranges::stable_sort(
            order, std::greater(), [&](std::size_t point) { return plan_.sizes[point]; });
        for (const std::size_t point : order) {
            size_wanted_ += plan_.sizes[point];
        }
        points_wanted_ = wanted.size();
        points_before_ = wanted.size() - order.size();
        threads_each_ =
            std::max(1U, threads / static_cast<unsigned>(std::max<std::size_t>(order.size(), 1)));
        begin_ = Clock::now();
        const Progress shown(progress, [this] { return how_far(); });
        in_threads(threads, order.size(), [&](std::size_t i) {
            if (!control_.stop && !try_point(order[i])) {
                const std::lock_guard lock(mutex_);
                busy_.push_back(order[i]);
            }
        });
        wait_for_others(threads);
        directory_.sync_points();
        out_.interrupted = control_.stop;
        std::ranges::sort(out_.failed, {}, &FailedPoint::point);
        return std::move(out_);
    }

private:
    /// Runs a point unless it is done. Returns false if another process is at it.
    bool try_point(std::size_t point) {
        const PointKey& key = plan_.keys[point];
        if (directory_.has_point(key)) {
            finished(point, false);
            return true;
        }
        const auto lock = directory_.try_lock_point(key);
        if (!lock) {
            return false;
        }
        if (directory_.has_point(key)) {  // another process finished it in the meantime
            finished(point, false);
            return true;
        }
        try {
            const core::Value resolved = experiments_.resolved(point);
            if (key_of(resolved) != key) {
                failed(point,
                       "a file that the experiment names changed after the sweep began: expected "
                       "it as it was",
                       FailedPoint::Again::yes);
                return true;
            }
            core::Diagnostics diagnostics;
            auto spec = read_experiment(resolved, diagnostics);
            diagnostics.throw_if_failed();
            allow_code(*spec, sweep_.allow_code);
            // The sweep's directory was searched for leftovers once. Doing this for each point
            // would take the longer, the more points there are.
            RunDirectory directory(directory_.point(key), Temporary::Leftovers::removed);
            RunOptions options;
            options.threads = threads_each_;
            options.tables = tables_;
            if (!run_experiment(*spec, resolved, directory, options, control_).interrupted) {
                finished(point, true);
            }
        } catch (const core::InputError& error) {
            failed(point, error.what(), FailedPoint::Again::no);
        } catch (const sim::InvariantError& error) {
            failed(point, error.what(), FailedPoint::Again::no);
        } catch (const PlaceTaken& error) {
            failed(point, error.what(), FailedPoint::Again::no);
        } catch (const std::bad_alloc&) {
            failed(point, "error: out of memory", FailedPoint::Again::with_fewer);
        }
        return true;
    }

    /// Handles the points that other processes were at: they are done by now, or were left by a
    /// process that died.
    void wait_for_others(unsigned threads) {
        constexpr std::chrono::milliseconds pause(100);
        while (!busy_.empty() && !control_.stop) {
            const std::vector<std::size_t> order = std::exchange(busy_, {});
            in_threads(threads, order.size(), [&](std::size_t i) {
                if (!control_.stop && !try_point(order[i])) {
                    const std::lock_guard lock(mutex_);
                    busy_.push_back(order[i]);
                }
            });
            if (busy_.size() == order.size()) {
                std::this_thread::sleep_for(pause);
            }
        }
    }

    void failed(std::size_t point, std::string why, FailedPoint::Again again) {
        const std::lock_guard guard(mutex_);
        out_.failed.push_back({point, std::move(why), again});
    }

    void finished(std::size_t point, bool by_us) {
        const std::lock_guard lock(mutex_);
        out_.done += by_us ? 1 : 0;
        points_done_ += 1;
        size_done_ += plan_.sizes[point];
    }

    HowFar how_far() {
        const std::lock_guard lock(mutex_);
        const double elapsed = std::chrono::duration<double>(Clock::now() - begin_).count();
        const std::size_t done = points_before_ + points_done_;
        std::string line = fmt::format("{}: {} of {} points", sweep_.name, done, points_wanted_);
        if (points_done_ > 0) {
            line += fmt::format(", {:.3g} a second, {} left",
                                static_cast<double>(points_done_) / elapsed,
                                duration_text(elapsed * (size_wanted_ / size_done_ - 1)));
        }
        if (!out_.failed.empty()) {
            line += fmt::format(", {} failed", out_.failed.size());
        }
        return {std::move(line), done, points_wanted_};
    }

    const SweepSpec& sweep_;
    const SweepPlan& plan_;
    PointExperiments& experiments_;
    const SweepDirectory& directory_;
    TableForm tables_;
    sim::RunControl& control_;
    unsigned threads_each_ = 1;
    std::size_t points_wanted_ = 0;
    std::size_t points_before_ = 0;
    double size_wanted_ = 0;
    Clock::time_point begin_;
    std::mutex mutex_;  ///< Protects the members below.
    PointRuns out_;
    std::vector<std::size_t> busy_;
    std::size_t points_done_ = 0;
    double size_done_ = 0;
};

}  // namespace

PointRuns run_points(const SweepSpec& sweep,
                     const SweepPlan& plan,
                     const std::vector<std::size_t>& wanted,
                     PointExperiments& experiments,
                     const SweepDirectory& directory,
                     unsigned threads,
                     const TableForm& tables,
                     ProgressView* progress,
                     sim::RunControl& control) {
    return Runner(sweep, plan, experiments, directory, tables, control)
        .run(wanted, threads, progress);
}

}  // namespace berth::experiments
