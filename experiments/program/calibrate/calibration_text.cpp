#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <vector>

#include "core/support/csv_record.hpp"
#include "experiments/program/calibrate/calibration.hpp"
#include "experiments/program/support/interval_text.hpp"

namespace berth::experiments {
namespace {

/// At most this many groups of one trait are shown; the JSON form has all.
constexpr std::size_t groups_shown = 12;

/// Such as `12 % too short`, or `8.6 times the recorded one`.
std::string bias_text(double bias) {
    const double hundredths = std::round(100 * bias);
    if (hundredths > 100) {
        return fmt::format("{:.3g} times the recorded one", 1 + bias);
    }
    return hundredths == 0
               ? "as recorded, to half a percent"
               : fmt::format(
                     "{:.0f} % too {}", std::abs(hundredths), hundredths < 0 ? "short" : "long");
}

/// Such as `-12 %`, or `x 8.6` for what is more than twice as long.
std::string short_bias(double bias) {
    return bias > 1 ? fmt::format("x {:.3g}", 1 + bias) : fmt::format("{:+.0f} %", 100 * bias);
}

std::string row_text(const Agreement& row, std::size_t width) {
    const auto time = [](double seconds) { return report::duration_text(seconds); };
    return fmt::format("  {:<{}} {:>7} {:>10} {:>10} {:>9} {:>10} {:>10} {:>6} {:>6} {:>6} {:>6}\n",
                       row.label,
                       width,
                       row.jobs + row.unstarted,
                       time(row.recorded_mean),
                       time(row.simulated_mean),
                       row.bias ? short_bias(*row.bias) : "",
                       time(row.recorded_quantiles[2]),
                       time(row.simulated_quantiles[2]),
                       row.rank_correlation ? fmt::format("{:.2f}", *row.rank_correlation) : "",
                       whole_percent(row.within[0]),
                       whole_percent(row.within[1]),
                       whole_percent(row.within[2]));
}

std::string head_text(std::string_view name, std::size_t width) {
    return fmt::format("  {:<{}} {:>7} {:>10} {:>10} {:>9} {:>10} {:>10} {:>6} {:>6} {:>6} {:>6}\n",
                       name,
                       width,
                       "jobs",
                       "recorded",
                       "run",
                       "bias",
                       "p95 rec.",
                       "p95 run",
                       "ranks",
                       "1 min",
                       "10 min",
                       "1 h");
}

std::string table_text(std::string_view trait, const std::vector<Agreement>& rows) {
    std::size_t width = trait.size();
    const std::size_t shown = std::min(rows.size(), groups_shown);
    for (std::size_t i = 0; i < shown; ++i) {
        width = std::max(width, rows[i].label.size());
    }
    std::string out = head_text(trait, width);
    for (std::size_t i = 0; i < shown; ++i) {
        out += row_text(rows[i], width);
    }
    if (rows.size() > shown) {
        out += fmt::format("  ... and {} more (--json has all)\n", rows.size() - shown);
    }
    return out;
}

/// What of the intervals is known, in a line.
std::string intervals_text(const Agreement& all) {
    if (!all.within_interval) {
        return fmt::format("  (no intervals: they need jobs on at least {} days)\n", days_min);
    }
    std::string out = "  95 % intervals by whole days:";
    if (all.bias_interval) {
        out += fmt::format(" bias {} to {},",
                           short_bias(all.bias_interval->low),
                           short_bias(all.bias_interval->high));
    }
    return out + fmt::format(" within 10 min {} to {}\n",
                             whole_percent(all.within_interval->low),
                             whole_percent(all.within_interval->high));
}

std::string left_out_text(const PairedJobs& pairs, const Agreement& all) {
    std::string out;
    const auto note = [&](std::uint64_t count, std::string_view what) {
        if (count > 0) {
            out += fmt::format("  {} job{} {}\n", count, count == 1 ? "" : "s", what);
        }
    };
    note(all.unstarted, "not started when the run ends: counted as far from the recorded start");
    note(pairs.without, "left out: the recording has no submit time or no start of it");
    note(pairs.before, "left out: the recording starts them before they were submitted");
    note(pairs.outside, "left out: outside of the window of spec.record");
    note(pairs.others, "of the run in no trace: a load that is not compared");
    return out;
}

std::string disagreement_text(const Disagreement& one) {
    const PairedJob& job = *one.job;
    const std::string recorded = report::duration_text(sim::seconds(job.recorded_wait()));
    return job.start ? fmt::format("  {}: waited {} in the recording, {} in the run\n    {}\n",
                                   job.name,
                                   recorded,
                                   report::duration_text(sim::seconds(job.simulated_wait())),
                                   one.why)
                     : fmt::format(
                           "  {}: waited {} in the recording, has not started in the run\n"
                           "    {}\n",
                           job.name,
                           recorded,
                           one.why);
}

}  // namespace

std::string headline_text(const Calibration& calibration) {
    const Agreement& all = calibration.all;
    const std::string near = fmt::format("{} of {} jobs start within 10 min of the recorded start",
                                         whole_percent(all.within[1]),
                                         all.jobs + all.unstarted);
    const std::string waits = all.bias        ? "mean wait " + bias_text(*all.bias)
                              : all.jobs == 0 ? std::string("no job starts in the run")
                                              : "no job waited in the recording";
    return fmt::format(
        "{}; {}{}",
        waits,
        near,
        all.unstarted > 0 ? fmt::format("; {} of them never start in the run", all.unstarted) : "");
}

std::string calibration_text(const ExperimentSpec& spec, const Calibration& calibration) {
    const Agreement& all = calibration.all;
    std::string out = fmt::format("{}: {}\n", spec.name, headline_text(calibration));
    out += intervals_text(all);
    out += left_out_text(calibration.pairs, all);
    out += "\n" + table_text("all jobs", {all});
    for (std::size_t trait = 0; trait < calibration.groups.size(); ++trait) {
        if (!calibration.groups[trait].empty()) {
            out += "\n" + table_text(fmt::format("by {}", calibration_traits[trait]),
                                     calibration.groups[trait]);
        }
    }
    out += fmt::format("\n  use of {} differs by {} of the capacity on average\n",
                       calibration.curves.resource,
                       whole_percent(calibration.curves.distance));
    if (!calibration.causes.empty()) {
        out += "\nWhat the recording has that the experiment's rules do not explain:\n";
    }
    for (const CalibrationCause& cause : calibration.causes) {
        out += fmt::format("  {}\n", cause.text);
    }
    if (!calibration.largest.empty()) {
        out += "\nThe jobs that differ most, and why they waited in the run:\n";
    }
    for (const Disagreement& one : calibration.largest) {
        out += disagreement_text(one);
    }
    return out;
}

}  // namespace berth::experiments
