#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/support/value.hpp"
#include "experiments/program/config/document/written_by_berth.hpp"

namespace berth::experiments {

/// A document that berth writes itself. `name`: its file's name in messages.
[[nodiscard]] core::Value document_of(const std::string& name, const std::string& text);

/// A text of YAML: the whole name of a file.
[[nodiscard]] std::string quoted_name(const std::filesystem::path& file);

/// The kind of the first of some documents; empty if it has none.
[[nodiscard]] std::string kind_of(const std::vector<core::Value>& documents);

/// Whether documents of this kind are objects of a cluster, as kubectl lists them.
[[nodiscard]] bool is_list_of_objects(std::string_view kind);

/// The experiment whose cluster, and whose running and waiting pods, are those of such a list.
/// `scheduler`: what is under `spec.scheduler`; empty: a profile with defaults. `lenient`: whether
/// pods that cannot be placed are left out.
[[nodiscard]] core::Value experiment_of_list(const std::filesystem::path& list,
                                             const std::string& scheduler,
                                             bool lenient);

/// The experiment whose cluster, and whose running and waiting jobs, are those that Slurm lists,
/// with easy backfill.
[[nodiscard]] core::Value experiment_of_slurm(const std::filesystem::path& jobs,
                                              const std::filesystem::path& nodes,
                                              bool lenient);

}  // namespace berth::experiments
