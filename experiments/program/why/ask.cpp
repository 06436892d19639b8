#include "experiments/program/why/ask.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/support/file_kind.hpp"
#include "core/support/source.hpp"
#include "experiments/program/config/experiment/read_experiment.hpp"
#include "experiments/program/config/resolve/resolve.hpp"
#include "experiments/program/results/stored/csv.hpp"
#include "experiments/program/run/run_files.hpp"
#include "experiments/program/support/documents.hpp"
#include "experiments/program/support/parsed_json.hpp"
#include "experiments/program/support/sha256.hpp"
#include "experiments/program/verify/verify_run.hpp"
#include "experiments/program/why/text.hpp"
#include "sim/clock/fingerprint.hpp"
#include "sim/meter/metric.hpp"

namespace berth::experiments {
namespace {

/// The text of a key; empty if the key is missing or its value is not text.
std::string text_in(const nlohmann::ordered_json& object, const char* key) {
    const auto found = object.find(key);  // for a value that is not an object, this is the end
    return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

nlohmann::ordered_json manifest_of(const std::filesystem::path& directory) {
    const std::filesystem::path file = directory / "manifest.json";
    if (!core::exists(file) || !core::exists(directory / "experiment.yaml")) {
        throw core::InputError(
            fmt::format("{}: error: no run directory: expected one that berth "
                        "run wrote, with manifest.json and experiment.yaml",
                        directory.string()));
    }
    const auto manifest = parsed_if_json(read_source(file)->text);
    if (text_in(manifest, "schema") != manifest_schema) {
        throw core::InputError(fmt::format(
            "{}: error: no manifest: expected schema {}", file.string(), manifest_schema));
    }
    return manifest;
}

/// Whether the replication's row of replications.csv has the same metrics as the new run. The table
/// has more columns: metrics for kinds of jobs depend on all replications.
bool has_metrics(const std::filesystem::path& table,
                 std::uint32_t replication,
                 const std::vector<sim::Metric>& metrics) {
    report::CsvReader csv(table);
    for (std::uint32_t row = 0; row <= replication; ++row) {
        if (!csv.next()) {
            return false;
        }
    }
    return std::ranges::all_of(metrics, [&](const sim::Metric& metric) {
        const auto column = csv.find_column(metric.name);
        const std::string told = metric.value ? fmt::format("{}", *metric.value) : "";
        return column && csv.field(*column) == told;
    });
}

/// How the new run differs from the one in the directory; empty if it does not.
std::string difference(const ExperimentSpec& spec,
                       const std::filesystem::path& directory,
                       const nlohmann::ordered_json& manifest,
                       const Story& story) {
    const auto inputs = manifest.value("inputs", nlohmann::ordered_json::object());
    if (text_in(inputs, "experiment.yaml") != sha256_of(directory / "experiment.yaml")) {
        return "its experiment.yaml is not the one that it was made of";
    }
    sim::Fingerprint fingerprint;
    fingerprint.add(story.fingerprint);
    const bool alone = spec.replications == 1;
    const bool moved =
        alone && text_in(manifest, "fingerprint") != fmt::format("{:016x}", fingerprint.value());
    const auto table = directory / "replications.csv";
    if (!core::exists(table)) {
        return "its replications.csv is missing, so it is not known whether this is what it did";
    }
    const bool measured = !has_metrics(table, story.which.replication, story.metrics);
    return moved || measured ? fmt::format(
                                   "berth {} wrote it, and this is berth {}, which gives "
                                   "other results",
                                   read_manifest(directory).program,
                                   this_program())
                             : "";
}

/// The window that the run measured. With `warmUp: auto`, only the original run has found it.
sim::Window window_of(const ExperimentSpec& spec, const nlohmann::ordered_json& manifest) {
    sim::Window window = spec.settings.window;
    if (spec.find_warm_up && manifest.contains("window")) {
        const auto time = [&](const char* key, sim::SimTime otherwise) {
            const auto found = manifest["window"].find(key);
            return found != manifest["window"].end() && found->is_number_integer()
                       ? sim::SimTime(found->get<std::int64_t>())
                       : otherwise;
        };
        const sim::Window told{.from = time("from_ns", window.from),
                               .to = time("to_ns", window.to)};
        window = sim::SimTime(0) <= told.from && told.from <= told.to ? told : window;
    }
    return window;
}

}  // namespace

AskedRun read_asked_run(const std::filesystem::path& directory) {
    AskedRun run;
    run.manifest = manifest_of(directory);
    const ResolvedExperiment resolved = resolve_experiment(directory / "experiment.yaml", {});
    core::Diagnostics diagnostics;
    auto spec = read_experiment(resolved.document, diagnostics);
    diagnostics.throw_if_failed();
    run.spec = std::move(*spec);
    run.warnings = diagnostics.warnings();
    run.spec.settings.window = window_of(run.spec, run.manifest);
    return run;
}

std::optional<WhyAnswer> ask_why(const std::filesystem::path& directory,
                                 AskedRun run,
                                 const std::string& pod,
                                 std::optional<std::uint32_t> replication,
                                 sim::RunControl& control) {
    const WhyJob which = find_job(run.spec, pod, replication);
    auto story = tell_story(run.spec, which, control);
    if (!story) {
        return std::nullopt;
    }
    std::string differs = difference(run.spec, directory, run.manifest, *story);
    return WhyAnswer{std::move(run.spec), std::move(*story), std::move(differs)};
}

nlohmann::ordered_json why_json(const WhyAnswer& answer) {
    nlohmann::ordered_json out = story_json(answer.spec, answer.story);
    out["differs"] = answer.differs.empty() ? nlohmann::ordered_json(nullptr)
                                            : nlohmann::ordered_json(answer.differs);
    return out;
}

}  // namespace berth::experiments
