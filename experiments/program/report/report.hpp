#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <ostream>
#include <vector>

namespace berth::report {

/// Writes one self-contained page about runs, or about one sweep: no file beside it, no request of
/// any kind.
///
/// Shape:   at least one directory; a page of runs opens on the first.
/// Errors:  core::InputError when a directory is neither a run's nor a sweep's, or a file in it is
///          malformed, before anything is written; std::system_error when a file cannot be read.
/// Order:   the same directories give the same bytes.
/// `comparison` is of these runs, for the part about their differences; null where there is none.
void write_report(const std::vector<std::filesystem::path>& directories,
                  std::ostream& out,
                  const nlohmann::ordered_json& comparison = nullptr);

}  // namespace berth::report
