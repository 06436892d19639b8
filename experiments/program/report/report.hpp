#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <vector>

namespace berth::report {

struct PageOptions {
    /// How these runs differ; null: the page has no part about that.
    nlohmann::ordered_json comparison = nullptr;
    /// Begin with a list of the runs, and compare none; so does a page of several that have claims.
    bool index = false;
    std::string title = {};   ///< What the page is about; empty where nobody says it.
    std::string target = {};  ///< What a sweep's points are asked for, as read_target() takes it.
};

/// Writes one self-contained page about runs, or about one sweep: no file beside it, no request of
/// any kind.
///
/// Shape:   at least one directory; a page of runs opens on the first.
/// Errors:  core::InputError when a directory is neither a run's nor a sweep's, or a file in it is
///          malformed, before anything is written; std::system_error when a file cannot be read.
/// Order:   the same directories give the same bytes.
void write_report(const std::vector<std::filesystem::path>& directories,
                  std::ostream& out,
                  const PageOptions& options = {});

}  // namespace berth::report
