#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/support/value.hpp"
#include "experiments/program/config/resolve/input_files.hpp"
#include "experiments/program/config/resolve/value_path.hpp"

namespace berth::experiments {

/// The parts of a `kind: Workload`; nullptr for those that it does not have.
struct WorkloadParts {
    std::uint64_t seed = 1;
    const core::Value* types = nullptr;
    const core::Value* sources = nullptr;
};
/// Errors: recorded, for a missing part and for a key that no Workload has.
[[nodiscard]] WorkloadParts read_workload_parts(const core::Value& document,
                                                core::Diagnostics& diagnostics);

/// Errors: core::InputError if a map whose file takes its place has another key, which would be
///         lost.
void check_is_alone(const core::Value& map);

/// A self-contained experiment: it includes every file that it names, except for traces and lists
/// of nodes, which it names by absolute path and digest.
struct ResolvedExperiment {
    core::Value document;
};

/// Reads the only `kind: Experiment` in a file, applies the overrides, and replaces each `file:` by
/// the content of that file. Paths are relative to the file that names them. An override whose path
/// does not exist in the experiment as written is applied after the files were read.
/// Errors: InputError for an unreadable file, for none or several experiments, and for an override
///         whose path does not exist.
[[nodiscard]] ResolvedExperiment resolve_experiment(const std::filesystem::path& file,
                                                    const std::vector<Override>& overrides);

/// Does the same for a document that was read already; relative names are relative to `folder`.
[[nodiscard]] core::Value resolve_document(core::Value document,
                                           const std::filesystem::path& folder,
                                           const std::vector<Override>& overrides,
                                           InputFiles& files);

/// Does the same for a `kind: Workload`.
[[nodiscard]] ResolvedExperiment resolve_workload(const std::filesystem::path& file);

/// The document in a file whose kind is among `kinds`.
/// Errors: InputError if there is none, or more than one.
[[nodiscard]] core::Value document_of_kind(const std::shared_ptr<const core::SourceText>& source,
                                           const std::vector<std::string>& kinds);

}  // namespace berth::experiments
