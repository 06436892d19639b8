#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/support/value.hpp"

namespace berth::experiments {

/// One `--set spec.path=VALUE`.
struct Override {
    std::string path;  ///< `spec.workload[0].background.load`
    core::Value value;
};

/// Parses `PATH=VALUE`; the value is YAML.
/// Errors: InputError.
[[nodiscard]] Override parse_override(const std::string& option);

/// An experiment on its own: every file that it names is in it, so that it needs no other; but for
/// traces and lists of nodes, which it names by absolute path and digest.
struct ResolvedExperiment {
    core::Value document;
    /// The files it was made of, the experiment's own first, each once, with its content.
    std::vector<std::shared_ptr<const core::SourceText>> inputs;
};

/// Reads the one `kind: Experiment` of a file, applies the overrides, then puts in the place of
/// each `file:` what the file holds. Paths are relative to the file that names them.
/// Errors: InputError: an unreadable file, no experiment or more than one, an override's path that
///         does not exist.
[[nodiscard]] ResolvedExperiment resolve_experiment(const std::filesystem::path& file,
                                                    const std::vector<Override>& overrides);

/// The same for a `kind: Workload`.
[[nodiscard]] ResolvedExperiment resolve_workload(const std::filesystem::path& file);

/// Sets the value at a path below `document`; the last step may be a key that is new there.
/// Errors: InputError at the override when the way there does not exist.
void apply_override(core::Value& document, const Override& override);

/// The document of a file whose kind is among `kinds`.
/// Errors: InputError when there is none, or more than one.
[[nodiscard]] core::Value document_of_kind(const std::shared_ptr<const core::SourceText>& source,
                                           const std::vector<std::string>& kinds);

}  // namespace berth::experiments
