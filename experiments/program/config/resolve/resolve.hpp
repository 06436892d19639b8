#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/support/value.hpp"
#include "experiments/program/config/resolve/input_files.hpp"
#include "experiments/program/config/resolve/value_path.hpp"

namespace berth::experiments {

/// An experiment on its own: every file that it names is in it, so that it needs no other; but for
/// traces and lists of nodes, which it names by absolute path and digest.
struct ResolvedExperiment {
    core::Value document;
};

/// Reads the one `kind: Experiment` of a file, applies the overrides, and puts in the place of
/// each `file:` what the file holds. Paths are relative to the file that names them. An override
/// whose path does not exist as the experiment is written is applied to what the files hold.
/// Errors: InputError: an unreadable file, no experiment or more than one, an override's path that
///         does not exist.
[[nodiscard]] ResolvedExperiment resolve_experiment(const std::filesystem::path& file,
                                                    const std::vector<Override>& overrides);

/// The same of a document that was read already, with relative names relative to `folder`.
[[nodiscard]] core::Value resolve_document(core::Value document,
                                           const std::filesystem::path& folder,
                                           const std::vector<Override>& overrides,
                                           InputFiles& files);

/// The same for a `kind: Workload`.
[[nodiscard]] ResolvedExperiment resolve_workload(const std::filesystem::path& file);

/// The document of a file whose kind is among `kinds`.
/// Errors: InputError when there is none, or more than one.
[[nodiscard]] core::Value document_of_kind(const std::shared_ptr<const core::SourceText>& source,
                                           const std::vector<std::string>& kinds);

}  // namespace berth::experiments
