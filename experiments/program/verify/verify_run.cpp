#include "experiments/program/verify/verify_run.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>

#include "core/support/file_kind.hpp"
#include "core/support/file_reader.hpp"
#include "core/support/source.hpp"
#include "core/support/value.hpp"
#include "experiments/program/config/experiment/read_experiment.hpp"
#include "experiments/program/config/resolve/resolve.hpp"
#include "experiments/program/results/stored/stored_table.hpp"
#include "experiments/program/run/run_directory.hpp"
#include "experiments/program/run/run_experiment.hpp"
#include "experiments/program/support/progress.hpp"
#include "experiments/program/support/sha256.hpp"
#include "experiments/version.hpp"

namespace berth::experiments {
namespace {

namespace fs = std::filesystem;

constexpr const char* experiment_file = "experiment.yaml";

std::string program_text(const std::string& version_text, const std::string& sources) {
    return sources.empty() ? version_text : fmt::format("{} (sources {})", version_text, sources);
}

/// The digest of a file of the run, of a table that of its text; nothing when it is not there. A
/// file that is cut short has the digest of no file.
std::optional<std::string> digest_of(const fs::path& file) {
    const fs::path stored = report::stored_table(file);
    if (!core::exists(stored) || core::is_folder(stored)) {
        return std::nullopt;
    }
    try {
        return sha256_of(*report::open_table(stored));
    } catch (const core::InputError&) {
        return "";
    }
}

std::vector<std::string> differences(const Manifest& before, const Manifest& now) {
    std::vector<std::string> out;
    for (const auto& [name, digest] : before.files) {
        const auto again = now.files.find(name);
        if (again == now.files.end()) {
            out.push_back(fmt::format("{} is not written any more", name));
        } else if (again->second != digest) {
            out.push_back(fmt::format("{} differs", name));
        }
    }
    for (const auto& [name, digest] : now.files) {
        if (!before.files.contains(name)) {
            out.push_back(fmt::format("{} was not written before", name));
        }
    }
    for (const auto& [fact, value] : now.facts) {
        const auto was = before.facts.find(fact);
        const std::string said = was == before.facts.end() ? "no such thing" : was->second;
        if (said != value) {
            out.push_back(
                fmt::format("manifest.json says of {} {}, and the run has {}", fact, said, value));
        }
    }
    if (before.fingerprint != now.fingerprint) {
        out.push_back(fmt::format("the trajectory differs: its fingerprint is {}, and was {}",
                                  now.fingerprint,
                                  before.fingerprint));
    }
    return out;
}

}  // namespace

std::string this_program() {
    return program_text(version, sources_digest());
}

Manifest read_manifest(const fs::path& run) {
    const fs::path file = run / "manifest.json";
    const auto written = core::text_of_file_if_any(file);
    if (!written) {
        throw core::InputError(
            fmt::format("{}: error: this is not a run directory: expected a folder with "
                        "manifest.json, or a sweep's with points.csv",
                        run.string()));
    }
    const auto json = nlohmann::json::parse(*written, nullptr, false);
    const auto text = [&](const char* key) {
        const auto found = json.find(key);
        return found != json.end() && found->is_string() ? found->get<std::string>() : "";
    };
    const bool sound = json.is_object() && text("schema") == manifest_schema &&
                       json.contains("files") && json["files"].is_object();
    if (!sound) {
        throw core::InputError(fmt::format(
            "{}: error: this is no manifest of a run: expected an object with the schema '{}'",
            file.string(),
            manifest_schema));
    }
    Manifest manifest{.program = program_text(text("version"), text("sources")),
                      .fingerprint = text("fingerprint"),
                      .files = {},
                      .facts = {}};
    for (const char* fact : {"seed", "replications", "inputs", "window"}) {
        if (const auto found = json.find(fact); found != json.end()) {
            manifest.facts[fact] = found->dump();
        }
    }
    for (const auto& [name, digest] : json["files"].items()) {
        const bool is_name =
            fs::path(name).filename() == name && !name.empty() && name != "." && name != "..";
        if (!digest.is_string() || !is_name) {
            throw core::InputError(
                fmt::format("{}: error: the file '{}': expected a file's name and its SHA-256",
                            file.string(),
                            name));
        }
        manifest.files[name] = digest.get<std::string>();
    }
    return manifest;
}

std::vector<std::string> changed_files(const fs::path& run, const Manifest& manifest) {
    std::vector<std::string> out;
    for (const auto& [name, digest] : manifest.files) {
        const auto found = digest_of(run / name);
        if (!found) {
            out.push_back(fmt::format("{} is missing", name));
        } else if (*found != digest) {
            out.push_back(fmt::format("{} was changed since the run",
                                      report::stored_table(run / name).filename().string()));
        }
    }
    return out;
}

Recomputed recompute(const fs::path& run,
                     const Manifest& manifest,
                     const fs::path& scratch,
                     unsigned threads,
                     bool progress,
                     sim::RunControl& control) {
    Recomputed out;
    const auto as_it_was = manifest.files.find(experiment_file);
    if (as_it_was == manifest.files.end() ||
        digest_of(run / experiment_file) != as_it_was->second) {
        return out;
    }
    out.started = true;
    const ResolvedExperiment resolved = resolve_experiment(run / experiment_file, {});
    core::Diagnostics diagnostics;
    const auto spec = read_experiment(resolved.document, diagnostics);
    diagnostics.throw_if_failed();
    RunDirectory directory(scratch);
    TerminalProgress terminal;
    const RunOptions options{.threads = threads, .progress = progress ? &terminal : nullptr};
    out.interrupted =
        run_experiment(*spec, resolved.document, directory, options, control).interrupted;
    if (!out.interrupted) {
        out.differences = differences(manifest, read_manifest(scratch));
    }
    std::error_code ignored;
    fs::remove_all(scratch, ignored);
    return out;
}

}  // namespace berth::experiments
