#include "experiments/run/run_experiment.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <exception>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

#include "experiments/documents.hpp"
#include "experiments/progress.hpp"
#include "experiments/run/csv_recorder.hpp"
#include "experiments/run/device_columns.hpp"
#include "experiments/run/experiment_warnings.hpp"
#include "experiments/run/merged_files.hpp"
#include "experiments/run/run_directory.hpp"
#include "experiments/version.hpp"

namespace berth::experiments {
namespace {

/// Replications in threads; each takes the next number until none is left.
class Replications {
public:
    Replications(const ExperimentSpec& spec,
                 RunDirectory& directory,
                 MergedFiles& files,
                 sim::RunControl& control)
        : spec_(spec), directory_(directory), files_(files), control_(control) {
        results.replications.resize(spec.replications);
        fingerprints.resize(spec.replications);
    }

    void run(unsigned threads) {
        threads = std::clamp(threads, 1U, spec_.replications);
        std::vector<std::thread> others;
        for (unsigned i = 1; i < threads; ++i) {
            others.emplace_back([this] { work(); });
        }
        work();
        for (std::thread& thread : others) {
            thread.join();
        }
        if (failure_) {
            std::rethrow_exception(failure_);
        }
    }

    Results results;
    std::vector<std::uint64_t> fingerprints;
    std::atomic<std::uint32_t> done = 0;
    std::atomic<std::uint64_t> events = 0;
    std::atomic<std::uint64_t> decisions = 0;
    std::atomic<bool> interrupted = false;

private:
    void work() {
        try {
            for (std::uint32_t next = next_++; next < spec_.replications && !stopped();
                 next = next_++) {
                replicate(next);
                ++done;
            }
            interrupted = interrupted || control_.stop;
        } catch (...) {
            const std::lock_guard lock(failure_mutex_);
            failure_ = failure_ ? failure_ : std::current_exception();
            failed_ = true;
        }
    }
    bool stopped() const { return failed_ || control_.stop; }

    void replicate(std::uint32_t replication) {
        const std::uint64_t seed = spec_.seed + replication;
        core::Ledger ledger(spec_.topology);
        occupy_background(spec_.workload, seed, ledger);
        if (replication == 0) {
            const bool devices = spec_.settings.profile.devices.has_value();
            directory_.write("nodes.csv", nodes_csv(ledger, devices));
            if (devices) {
                directory_.write("devices.csv", devices_csv(*spec_.topology));
            }
        }
        const auto source = make_workload(spec_.workload, seed);
        CsvRecorder recorder(spec_, replication, files_);
        sim::Settings settings = spec_.settings;
        if (settings.profile.gpus) {
            settings.profile.gpus->seed = sim::random_bits(seed, "gpu-sharing")();
        }
        sim::Simulation simulation(ledger, *source, settings, recorder, control_);
        sim::RunResult result = simulation.run();
        if (result.interrupted) {
            return;
        }
        recorder.gpu_time(result.gpu_time);
        recorder.finish();
        if (const auto skipped = trace_rows_skipped(spec_.workload)) {
            result.metrics.push_back({"trace_rows_skipped", static_cast<double>(*skipped)});
        }
        check_expected_metrics(spec_, result.metrics);
        results.replications[replication] = std::move(result.metrics);
        fingerprints[replication] = result.fingerprint;
        events += result.events;
        decisions += result.decisions;
        if (replication == 0) {
            results.placements = recorder.placements();
            results.first_group = recorder.first_group();
        }
    }

    const ExperimentSpec& spec_;
    RunDirectory& directory_;
    MergedFiles& files_;
    sim::RunControl& control_;
    std::atomic<std::uint32_t> next_ = 0;
    std::atomic<bool> failed_ = false;
    std::mutex failure_mutex_;
    std::exception_ptr failure_;
};

std::string manifest_json(const ExperimentSpec& spec,
                          const Replications& replications,
                          const RunDirectory& directory,
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
    // Every input, or its digest, is inside the resolved experiment, so its digest is theirs.
    out["inputs"] = {{"experiment.yaml", directory.sha256("experiment.yaml")}};
    auto& digests = out["files"] = nlohmann::ordered_json::object();
    for (const std::string& file : files) {
        digests[file] = directory.sha256(file);
    }
    return out.dump(2) + "\n";
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
    return out.dump(2) + "\n";
}

}  // namespace

RunReport run_experiment(const ExperimentSpec& spec,
                         const core::Value& resolved,
                         const RunOptions& options,
                         sim::RunControl& control) {
    const auto begin = std::chrono::steady_clock::now();
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
    RunDirectory directory(options.directory);
    warn(experiment_warnings(spec));
    std::vector<MergedFiles::File> row_files = CsvRecorder::files(spec);
    std::vector<std::string> files{
        "summary.json", "replications.csv", "nodes.csv", "experiment.yaml"};
    if (spec.settings.profile.devices) {
        files.emplace_back("devices.csv");
    }
    for (const MergedFiles::File& file : row_files) {
        files.push_back(file.name);
    }
    std::ranges::sort(files);
    MergedFiles merged(directory, std::move(row_files));
    Replications replications(spec, directory, merged, control);
    {
        const Progress progress(options.progress, [&] {
            return fmt::format("{}: {} of {} replications, {} events",
                               spec.name,
                               replications.done.load(),
                               spec.replications,
                               control.events.load());
        });
        replications.run(options.threads);
    }
    merged.close();
    report.interrupted = replications.interrupted;
    if (report.interrupted) {
        return report;
    }
    replications.results.warnings = report.warnings;
    report.claims = check_claims(spec, replications.results);
    report.expectations = check_expectations(spec, replications.results);
    directory.write("summary.json",
                    summary_json(spec, replications.results, report.claims, report.expectations));
    directory.write("replications.csv", replications_csv(spec, replications.results));
    directory.write("experiment.yaml", emit_yaml(resolved));
    directory.write("manifest.json", manifest_json(spec, replications, directory, files));
    report.events = replications.events;
    report.decisions = replications.decisions;
    report.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    directory.write("run.json", run_json(report, options));
    directory.commit();
    return report;
}

}  // namespace berth::experiments
