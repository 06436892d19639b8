#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "experiments/program/support/temporary.hpp"
#include "sim/run/run_control.hpp"

namespace berth::experiments {

/// What manifest.json says of a run.
struct Manifest {
    std::string program;  ///< Which berth wrote it: this_program() of that time.
    std::string fingerprint;
    std::map<std::string, std::string> files;  ///< SHA-256 by name.
    /// What else a run of the same experiment has again (seed, replications, inputs, window), as
    /// JSON.
    std::map<std::string, std::string> facts;
};

/// How messages and manifests name the program that runs: `0.3.0 (sources 0123456789abcdef)`.
[[nodiscard]] std::string this_program();

/// Errors: core::InputError when the folder has no manifest of berth's, or one that is malformed.
[[nodiscard]] Manifest read_manifest(const std::filesystem::path& run);

/// One line for each file that is missing or is not the one of which the manifest has the digest.
/// Errors: std::system_error when a file cannot be read.
[[nodiscard]] std::vector<std::string> changed_files(const std::filesystem::path& run,
                                                     const Manifest& manifest);

/// What stands in a run's folder that its manifest does not tell of.
struct OtherFiles {
    /// One line for each table that readers would take for the run's, and that it did not write.
    std::vector<std::string> added;
    /// One line for each file that should be there, or be the same, though nobody reads it.
    std::vector<std::string> wrong;
    std::vector<std::string> unknown;  ///< Names of what is not berth's; a folder ends in a slash.
};

/// What is in a folder beside what is known, sorted, each name with `before` in front of it and a
/// slash behind that of a folder.
[[nodiscard]] std::vector<std::string> files_besides(const std::filesystem::path& folder,
                                                     const std::string& before,
                                                     const std::set<std::string>& known);

/// Errors: std::system_error when the folder or a file cannot be read.
[[nodiscard]] OtherFiles other_files(const std::filesystem::path& run, const Manifest& manifest);

/// What came of running an experiment again.
struct Recomputed {
    bool interrupted = false;
    bool started = false;  ///< Not where the run's experiment.yaml is another one now.
    std::vector<std::string> differences;  ///< One line each; none when all bytes are the same.
};

/// Runs a run's experiment.yaml again, into `scratch`, which does not exist before and after, and
/// compares with the manifest. `code_is_allowed`: a library that it names is loaded.
/// Errors: core::InputError when the experiment cannot be run here, such as for a trace that is
///         gone; std::system_error while writing.
[[nodiscard]] Recomputed recompute(const std::filesystem::path& run,
                                   const Manifest& manifest,
                                   const std::filesystem::path& scratch,
                                   unsigned threads,
                                   bool progress,
                                   bool code_is_allowed,
                                   sim::RunControl& control);

/// A fresh folder for what is recomputed, among the system's temporary ones; gone at the end, or,
/// if berth was killed, when the next one is made.
class ScratchFolder {
public:
    /// Errors: std::system_error.
    ScratchFolder()
        : folder_(std::filesystem::temp_directory_path() / "berth-verify",
                  Temporary::Kind::folder) {}

    [[nodiscard]] const std::filesystem::path& path() const { return folder_.path(); }

private:
    Temporary folder_;
};

}  // namespace berth::experiments
