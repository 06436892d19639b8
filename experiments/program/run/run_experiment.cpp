#include "experiments/program/run/run_experiment.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>

#include "experiments/program/config/experiment/moved_clock.hpp"
#include "experiments/program/run/csv_recorder.hpp"
#include "experiments/program/run/job_kinds.hpp"
#include "experiments/program/run/make_scheduler.hpp"
#include "experiments/program/run/merged_files.hpp"
#include "experiments/program/run/metric_names.hpp"
#include "experiments/program/run/packed_files.hpp"
#include "experiments/program/run/pods_table.hpp"
#include "experiments/program/run/replicate.hpp"
#include "experiments/program/run/scheduler_files.hpp"
#include "experiments/program/run/warnings.hpp"
#include "experiments/program/support/documents.hpp"
#include "experiments/program/support/in_threads.hpp"
#include "experiments/program/support/parsed_json.hpp"
#include "experiments/program/support/progress.hpp"
#include "experiments/version.hpp"
#include "sim/clock/fingerprint.hpp"
#include "sim/meter/censored_sample.hpp"

namespace berth::experiments {
namespace {

/// Runs all replications in threads, and writes their results.
class Replications {
public:
    Replications(const ExperimentSpec& spec,
                 RunFiles& out,
                 MergedFiles& files,
                 sim::RunControl& control)
        : spec_(spec), out_(out), files_(files), control_(control) {
        results.replications.resize(spec.replications);
        kinds.resize(spec.replications);
        fingerprints.resize(spec.replications);
        rejected.resize(spec.replications);
        never_arrived.resize(spec.replications);
        loads.resize(spec.replications);
    }

    /// Threads without a replication write what the replications of other threads append.
    void run(unsigned threads) {
        constexpr unsigned writers_max = 2;  // few runs have more than two large files
        const std::size_t writers = std::min(threads, writers_max);
        in_threads(threads, spec_.replications + writers, [this](std::size_t turn) {
            if (turn >= spec_.replications) {
                files_.write_beside();
                return;
            }
            try {
                if (!control_.stop) {
                    write_down(static_cast<std::uint32_t>(turn));
                    ++done;
                }
            } catch (...) {
                files_.end();
                throw;
            }
            if (++over_ == spec_.replications) {
                files_.end();
            }
        });
        interrupted = control_.stop;
    }

    Results results;
    std::vector<std::vector<sim::JobKind>> kinds;  ///< One entry for each replication.
    std::vector<std::uint64_t> fingerprints;
    std::vector<sim::LoadHistory> loads;
    std::atomic<std::uint32_t> done = 0;
    std::atomic<std::uint64_t> events = 0;
    std::atomic<std::uint64_t> decisions = 0;
    std::atomic<std::uint64_t> jobs_given_up = 0;
    std::atomic<bool> percentiles_are_estimates = false;
    std::vector<CountedJobs> rejected;  ///< One entry for each replication.
    std::vector<CountedJobs> never_arrived;
    bool interrupted = false;

private:
    void write_down(std::uint32_t replication) {
        core::Ledger ledger = cluster_of(spec_, replication);
        if (replication == 0) {
            const bool devices = spec_.settings.profile.inside.devices.has_value();
            out_.write("nodes.csv", nodes_csv(ledger, spec_.settings.left_out(), devices));
            if (devices) {
                out_.write("devices.csv", devices_csv(*spec_.topology));
            }
            for (const SchedulerFile& file : scheduler_files(spec_.settings)) {
                out_.write(std::string(file.name), file.text(spec_.settings));
            }
        }
        CsvRecorder recorder(spec_, replication, files_);
        sim::RunResult result = replicate(spec_, replication, ledger, recorder, control_);
        if (result.interrupted) {
            return;
        }
        recorder.gpu_time(result.gpu_time);
        recorder.interruptions(result.interruptions);
        recorder.finish();
        if (const auto skipped = trace_rows_skipped(spec_.workload)) {
            result.metrics.push_back({"trace_rows_skipped", static_cast<double>(*skipped)});
        }
        kinds[replication] = std::move(result.kinds);
        results.replications[replication] = std::move(result.metrics);
        fingerprints[replication] = result.fingerprint;
        loads[replication] = std::move(result.load);
        events += result.events;
        decisions += result.decisions;
        jobs_given_up += result.jobs_given_up;
        percentiles_are_estimates = percentiles_are_estimates || result.percentiles_are_estimates;
        rejected[replication] = recorder.rejected();
        never_arrived[replication] = recorder.never_arrived();
        if (replication == 0) {
            results.placements = recorder.placements();
            results.first_group = recorder.first_group();
        }
    }

    const ExperimentSpec& spec_;
    RunFiles& out_;
    MergedFiles& files_;
    sim::RunControl& control_;
    std::atomic<std::uint32_t> over_ = 0;  ///< Replications that are done or will not be run.
};

std::string manifest_json(const ExperimentSpec& spec,
                          const Replications& replications,
                          const RunFiles& written,
                          const std::vector<std::string>& files) {
    sim::Fingerprint fingerprint;
    for (const std::uint64_t replication : replications.fingerprints) {
        fingerprint.add(replication);
    }
    nlohmann::ordered_json out{{"schema", manifest_schema},
                               {"version", version},
                               {"sources", sources_digest()},
                               {"seed", spec.seed},
                               {"replications", spec.replications},
                               {"fingerprint", fmt::format("{:016x}", fingerprint.value())}};
    if (spec.find_warm_up) {
        const sim::Window& window = spec.settings.window;
        out["window"] = {{"from_ns", window.from.count()}, {"to_ns", window.to.count()}};
    }
    // The resolved experiment contains every input or its digest, so its digest covers them all.
    out["inputs"] = {{"experiment.yaml", written.sha256("experiment.yaml")}};
    auto& digests = out["files"] = nlohmann::ordered_json::object();
    for (const std::string& file : files) {
        digests[file] = written.sha256(file);
    }
    return dumped(out, 2) + "\n";
}

std::string run_json(const RunReport& report, const RunOptions& options) {
    std::array<char, 256> host{};
    ::gethostname(host.data(), host.size() - 1);
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    const double wall = std::max(report.wall_s, 1e-9);
    nlohmann::ordered_json out{
        {"host", host.data()},
        {"threads", options.threads},
        {"wall_s", report.wall_s},
        {"events", report.events},
        {"events_per_s", static_cast<double>(report.events) / wall},
        {"decisions", report.decisions},
        {"decisions_per_s", static_cast<double>(report.decisions) / wall},
        {"peak_memory_bytes", static_cast<std::int64_t>(usage.ru_maxrss) * 1024}};
    return dumped(out, 2) + "\n";
}

/// Warnings about the load over the course of the run.
std::vector<std::string> steady_warnings_of(const ExperimentSpec& spec,
                                            const Replications& replications) {
    std::vector<double> shares;
    for (const auto& metrics : replications.results.replications) {
        const auto at = std::ranges::find(
            metrics, steady_resource(*spec.topology) + "_utilization", &sim::Metric::name);
        if (at != metrics.end() && at->value) {
            shares.push_back(*at->value);
        }
    }
    return steady_warnings(spec, replications.loads, statistics_of(shares).mean);
}

std::string estimates_note() {
    return fmt::format(
        "percentiles of more than {} jobs, pods or waits are estimates: each is off by at most "
        "{:.1f} "
        "% of itself",
        sim::CensoredSample::values_max,
        100 * sim::ValueBuckets::relative_error);
}

/// The files that the manifest lists, sorted.
std::vector<std::string> files_of(const ExperimentSpec& spec,
                                  const std::vector<MergedFiles::File>& row_files) {
    std::vector<std::string> files{
        "summary.json", "replications.csv", "censored.csv", "nodes.csv", "experiment.yaml"};
    if (spec.settings.profile.inside.devices) {
        files.emplace_back("devices.csv");
    }
    for (const SchedulerFile& file : scheduler_files(spec.settings)) {
        files.emplace_back(file.name);
    }
    for (const MergedFiles::File& file : row_files) {
        files.push_back(file.name);
    }
    std::ranges::sort(files);
    return files;
}

RunReport write_run(const ExperimentSpec& spec,
                    const core::Value& resolved,
                    RunFiles& out,
                    const RunOptions& options,
                    sim::RunControl& control,
                    const std::vector<std::string>& of_window,
                    std::chrono::steady_clock::time_point begin) {
    RunReport report;
    report.warnings = spec.warnings;
    const auto warn = [&](const std::vector<std::string>& warnings) {
        for (const std::string& warning : warnings) {
            report.warnings.push_back(warning);
            if (options.warn) {
                options.warn(warning);
            }
        }
    };
    warn(experiment_warnings(spec));
    const std::vector<MergedFiles::File> row_files = CsvRecorder::files(spec);
    const std::vector<std::string> files = files_of(spec, row_files);
    std::optional<PackedFiles> packed;
    if (!options.tables.is_text()) {
        packed.emplace(out, options.tables);
    }
    MergedFiles merged(packed ? *packed : out, row_files);
    if (packed) {
        merged.write_in_own_thread();  // packing takes a third of the time of the run
    }
    Replications replications(spec, out, merged, control);
    {
        const Progress progress(options.progress, [&] {
            const std::size_t done = replications.done.load();
            return HowFar{fmt::format("{}: {} of {} replications, {} events",
                                      spec.name,
                                      done,
                                      spec.replications,
                                      control.events.load()),
                          done,
                          spec.replications};
        });
        replications.run(options.threads);
    }
    merged.close();
    report.interrupted = replications.interrupted;
    if (report.interrupted) {
        return report;
    }
    report.window = window_text(spec);
    warn(of_window);
    warn(steady_warnings_of(spec, replications));
    if (const auto warning =
            given_up_warning(replications.jobs_given_up, spec.settings.on_failure.give_up_after)) {
        warn({*warning});
    }
    if (const auto warning = rejected_warning(spec, replications.rejected)) {
        warn({*warning});
    }
    if (const auto warning = never_arrived_warning(replications.never_arrived)) {
        warn({*warning});
    }
    const auto short_for = [&](int percent) {
        auto warning = short_run_warning(replications.results.replications, percent);
        if (warning) {
            replications.results.short_percentiles.push_back(percent);
        }
        return warning;
    };
    const auto short_for_p95 = short_for(95);
    const auto short_for_p99 = short_for(99);
    replications.results.notes =
        add_job_kinds(replications.kinds, replications.results.replications);
    if (replications.percentiles_are_estimates) {
        replications.results.notes.push_back(estimates_note());
    }
    if (short_for_p95) {
        warn({*short_for_p95});
    } else if (short_for_p99) {
        replications.results.notes.push_back(*short_for_p99);
    }
    std::ranges::move(notes_of_moved_clocks(spec), std::back_inserter(replications.results.notes));
    replications.results.warnings = report.warnings;
    report.claims = check_claims(spec, replications.results);
    report.expectations = check_expectations(spec, replications.results);
    out.write("summary.json",
              summary_json(spec, replications.results, report.claims, report.expectations));
    out.write("replications.csv", replications_csv(spec, replications.results));
    out.write("censored.csv", censored_csv(replications.results));
    out.write("experiment.yaml", emit_yaml(resolved));
    out.write("manifest.json", manifest_json(spec, replications, out, files));
    report.events = replications.events;
    report.decisions = replications.decisions;
    report.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    out.write("run.json", run_json(report, options));
    out.commit();
    return report;
}

}  // namespace

RunReport run_experiment(const ExperimentSpec& spec,
                         const core::Value& resolved,
                         RunFiles& out,
                         const RunOptions& options,
                         sim::RunControl& control) {
    const auto begin = std::chrono::steady_clock::now();
    check_scheduler(spec);
    core::Diagnostics diagnostics;
    check_metric_names(spec, diagnostics);
    diagnostics.throw_if_failed();
    if (!spec.find_warm_up) {
        return write_run(spec, resolved, out, options, control, {}, begin);
    }
    ExperimentSpec measured = spec;
    FoundWindow found;
    {
        const Progress progress(options.progress, [&] {
            return HowFar{fmt::format(
                "{}: finding the warm-up, {} events", spec.name, control.events.load())};
        });
        found = find_window(spec, options.threads, control);
    }
    measured.settings.window = found.window;
    return write_run(measured, resolved, out, options, control, found.warnings, begin);
}

}  // namespace berth::experiments
