#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include "experiments/program/support/temporary.hpp"
#include "sim/run/run_control.hpp"

namespace berth::experiments {

/// The content of a run's manifest.json.
struct Manifest {
    std::string program;  ///< The berth that wrote it: the result of its this_program().
    std::string fingerprint;
    std::map<std::string, std::string> files;  ///< The SHA-256 of each file, by name.
    /// All other facts that a run of the same experiment reproduces (seed, replications, inputs,
    /// window), as JSON.
    std::map<std::string, std::string> facts;
};

/// The name of this program in messages and manifests: `0.3.0 (sources 0123456789abcdef)`.
[[nodiscard]] std::string this_program();

/// Errors: core::InputError if the folder has no manifest of berth's, or a malformed one.
[[nodiscard]] Manifest read_manifest(const std::filesystem::path& run);

/// One line for each file that is missing or differs from its digest in the manifest.
/// Errors: std::system_error if a file cannot be read.
[[nodiscard]] std::vector<std::string> changed_files(const std::filesystem::path& run,
                                                     const Manifest& manifest);

/// The files in a run's folder that its manifest does not list.
struct OtherFiles {
    /// One line for each table that readers would take for one of the run, which did not write it.
    std::vector<std::string> added;
    /// One line for each file that is missing or differs although no program reads it.
    std::vector<std::string> wrong;
    /// Names of files that are not berth's; the name of a folder ends in a slash.
    std::vector<std::string> unknown;
};

/// The contents of a folder that are not in `known`, sorted. Each name is preceded by `before`, and
/// that of a folder ends in a slash.
[[nodiscard]] std::vector<std::string> files_besides(const std::filesystem::path& folder,
                                                     const std::string& before,
                                                     const std::set<std::string>& known);

/// Errors: std::system_error if the folder or a file cannot be read.
[[nodiscard]] OtherFiles other_files(const std::filesystem::path& run, const Manifest& manifest);

/// The result of running an experiment again.
struct Recomputed {
    bool interrupted = false;
    bool started = false;  ///< False if the run's experiment.yaml has changed since.
    /// One line for each difference; none if all bytes are the same.
    std::vector<std::string> differences;
};

/// Runs a run's experiment.yaml again and compares the result with the manifest. `scratch` exists
/// neither before nor after. `code_is_allowed`: a library that the experiment names is loaded.
/// Errors: core::InputError if the experiment cannot be run here, for example because a trace is
///         gone; std::system_error while reading, or while writing, as by throw_of_scratch().
[[nodiscard]] Recomputed recompute(const std::filesystem::path& run,
                                   const Manifest& manifest,
                                   const std::filesystem::path& scratch,
                                   unsigned threads,
                                   bool progress,
                                   bool code_is_allowed,
                                   sim::RunControl& control);

/// Throws an error again that is being handled. If something could not be written to a
/// ScratchFolder, the error then names the system's folder for temporary files: users do not know
/// a folder that exists only for a moment.
[[noreturn]] void throw_of_scratch(const std::system_error& error);

/// A new temporary folder of the system for recomputed files. It is removed at the end or, if berth
/// was killed, when the next one is made.
class ScratchFolder {
public:
    /// Errors: core::InputError if the system has no such folder; std::system_error.
    ScratchFolder() : folder_(temporary_folder() / "berth-verify", Temporary::Kind::folder) {}

    [[nodiscard]] const std::filesystem::path& path() const { return folder_.path(); }

private:
    Temporary folder_;
};

}  // namespace berth::experiments
