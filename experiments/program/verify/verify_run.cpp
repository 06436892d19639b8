#include "experiments/program/verify/verify_run.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/support/file_kind.hpp"
#include "core/support/file_reader.hpp"
#include "core/support/source.hpp"
#include "core/support/value.hpp"
#include "experiments/program/config/experiment/read_experiment.hpp"
#include "experiments/program/config/resolve/resolve.hpp"
#include "experiments/program/results/stored/stored_table.hpp"
#include "experiments/program/results/tables/tables.hpp"
#include "experiments/program/run/make_scheduler.hpp"
#include "experiments/program/run/run_directory.hpp"
#include "experiments/program/run/run_experiment.hpp"
#include "experiments/program/support/parsed_json.hpp"
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

/// The digest of a stored file; for a table, that of its text, whatever its form. If the file is
/// truncated or is not a file, the result is empty, which no digest is.
std::string stored_digest(const fs::path& stored) {
    if (!core::is_file(stored)) {
        return "";
    }
    try {
        return sha256_of(*report::open_table(stored));
    } catch (const core::InputError&) {
        return "";
    }
}

/// The digest of a file of the run, in whichever form it exists; nothing if it does not exist.
std::optional<std::string> digest_of(const fs::path& file) {
    const fs::path stored = report::stored_table(file);
    return core::exists(stored) ? std::optional(stored_digest(stored)) : std::nullopt;
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

/// Whether a run's manifest equals, byte by byte, that of running it again. If another build wrote
/// it, the facts about that build may differ.
bool is_same_manifest(const fs::path& run, const fs::path& again, bool same_program) {
    const std::string before = core::text_of_file(run / "manifest.json");
    const std::string now = core::text_of_file(again / "manifest.json");
    if (same_program) {
        return before == now;
    }
    const auto were = parsed_json(before);
    const auto are = parsed_json(now);
    return std::ranges::all_of(were.items(), [&](const auto& fact) {
        const bool of_build = fact.key() == "version" || fact.key() == "sources";
        return of_build || (are.contains(fact.key()) && are[fact.key()] == fact.value());
    });
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
    const auto json = parsed_if_json(*written);
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

std::vector<std::string> files_besides(const fs::path& folder,
                                       const std::string& before,
                                       const std::set<std::string>& known) {
    std::vector<std::string> out;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
        const std::string name = entry.path().filename().string();
        if (!known.contains(name)) {
            out.push_back(before + name + (entry.is_directory() ? "/" : ""));
        }
    }
    std::ranges::sort(out);
    return out;
}

OtherFiles other_files(const fs::path& run, const Manifest& manifest) {
    OtherFiles out;
    if (!core::is_file(run / "run.json")) {
        out.wrong.emplace_back("run.json is missing");
    }
    for (const std::string& name :
         files_besides(run, "", {"manifest.json", "report.html", "run.json"})) {
        const std::string text = report::name_of_text(name);
        const auto digest = manifest.files.find(text);
        if (digest != manifest.files.end()) {
            const fs::path read = report::stored_table(run / text).filename();
            if (name != read && stored_digest(run / name) != digest->second) {
                out.wrong.push_back(
                    fmt::format("{} is another table than {}", name, read.string()));
            }
        } else if (std::ranges::find(report::tables(), text, &report::TableRecord::file) !=
                   report::tables().end()) {
            out.added.push_back(fmt::format("{} was not written by the run", name));
        } else {
            out.unknown.push_back(name);
        }
    }
    return out;
}

void throw_of_scratch(const std::system_error& error) {
    if (dynamic_cast<const core::ReadError*>(&error) != nullptr) {
        throw;
    }
    throw std::system_error(error.code(), temporary_folder().string());
}

Recomputed recompute(const fs::path& run,
                     const Manifest& manifest,
                     const fs::path& scratch,
                     unsigned threads,
                     bool progress,
                     bool code_is_allowed,
                     sim::RunControl& control) try {
    Recomputed out;
    const auto as_it_was = manifest.files.find(experiment_file);
    if (as_it_was == manifest.files.end() ||
        digest_of(run / experiment_file) != as_it_was->second) {
        return out;
    }
    out.started = true;
    const ResolvedExperiment resolved = resolve_experiment(run / experiment_file, {});
    core::Diagnostics diagnostics;
    auto spec = read_experiment(resolved.document, diagnostics);
    diagnostics.throw_if_failed();
    allow_code(*spec, code_is_allowed);
    RunDirectory directory(scratch);
    TerminalProgress terminal;
    const RunOptions options{.threads = threads, .progress = progress ? &terminal : nullptr};
    out.interrupted =
        run_experiment(*spec, resolved.document, directory, options, control).interrupted;
    if (!out.interrupted) {
        out.differences = differences(manifest, read_manifest(scratch));
        if (out.differences.empty() &&
            !is_same_manifest(run, scratch, manifest.program == this_program())) {
            out.differences.emplace_back("manifest.json differs");
        }
    }
    std::error_code ignored;
    fs::remove_all(scratch, ignored);
    return out;
} catch (const std::system_error& error) {
    throw_of_scratch(error);
}

}  // namespace berth::experiments
