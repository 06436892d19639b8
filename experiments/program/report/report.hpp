#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <vector>

namespace berth::report {

struct PageOptions {
    /// How the runs differ; null: the page has no such part.
    nlohmann::ordered_json comparison = nullptr;
    /// Begin with a list of the runs and compare none of them. A page of several runs with claims
    /// does so, too.
    bool index = false;
    std::string title = {};  ///< The subject of the page; empty if it is not stated.
    /// The requirement for a sweep's points, in the form of read_target().
    std::string target = {};
};

/// Writes a self-contained page about runs or about one sweep: it needs no other file and makes no
/// requests.
///
/// Shape:   at least one directory; a page of runs opens with the first one.
/// Errors:  core::InputError, before anything is written, if a directory belongs neither to a run
///         nor to a sweep, or a file in it is malformed; std::system_error if a file cannot be
///         read.
/// Order:   the same directories give the same bytes.
void write_report(const std::vector<std::filesystem::path>& directories,
                  std::ostream& out,
                  const PageOptions& options = {});

/// Writes a page of this data, the JSON of a `WrittenPage`.
void write_page(const nlohmann::ordered_json& page, std::ostream& out);

}  // namespace berth::report
