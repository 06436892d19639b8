#include "experiments/program/sweep/sweep_manifest.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cerrno>
#include <cstddef>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include "core/support/file_kind.hpp"
#include "core/support/file_reader.hpp"
#include "core/support/source.hpp"
#include "experiments/program/support/parsed_json.hpp"
#include "experiments/program/support/sha256.hpp"
#include "experiments/program/support/whole_file.hpp"
#include "experiments/program/sweep/results_csv.hpp"
#include "experiments/program/sweep/results_sqlite.hpp"
#include "experiments/program/sweep/sweep_directory.hpp"
#include "experiments/version.hpp"

namespace berth::experiments {
namespace {

namespace fs = std::filesystem;

constexpr const char* schema = "berth.sweep-manifest/v1";

/// Notes the digest of a file under a name, if the file exists.
void add(std::map<std::string, std::string>& digests,
         const std::string& name,
         const fs::path& file) {
    if (!core::is_file(file)) {
        return;
    }
    const auto digest = sha256_of(file);
    if (!digest) {
        throw core::ReadError(file, errno);
    }
    digests[name] = *digest;
}

}  // namespace

SweepManifest make_sweep_manifest(const fs::path& sweep, const std::vector<PointKey>& keys) {
    SweepManifest manifest{version, sources_digest(), {}, {}};
    for (const std::string_view name : sweep_files) {
        add(manifest.files, std::string(name), sweep / name);
    }
    for (const std::string_view name : plan_files) {
        add(manifest.files, std::string(name), sweep / name);
    }
    for (const PointKey& key : std::set<PointKey>(keys.begin(), keys.end())) {
        add(manifest.points, key, sweep / "points" / key / "manifest.json");
    }
    return manifest;
}

std::string text_of_manifest(const SweepManifest& manifest) {
    const nlohmann::ordered_json out{{"schema", schema},
                                     {"version", manifest.version},
                                     {"sources", manifest.sources},
                                     {"files", manifest.files},
                                     {"points", manifest.points}};
    return dumped(out, 2) + "\n";
}

std::optional<SweepManifest> read_sweep_manifest(const fs::path& sweep) {
    const fs::path file = sweep / sweep_manifest_name;
    const auto text = core::text_of_file_if_any(file);
    if (!text) {
        return std::nullopt;
    }
    try {
        const auto json = parsed_json(*text);
        if (json.at("schema") == schema) {
            using Digests = std::map<std::string, std::string>;
            return SweepManifest{json.at("version").get<std::string>(),
                                 json.at("sources").get<std::string>(),
                                 json.at("files").get<Digests>(),
                                 json.at("points").get<Digests>()};
        }
    } catch (const nlohmann::ordered_json::exception&) {
        // It is refused below.
    }
    throw core::InputError(
        fmt::format("{}: error: this is no manifest of a sweep: expected an object with the schema "
                    "'{}', which berth sweep {} --collect writes",
                    file.string(),
                    schema,
                    sweep.string()));
}

std::size_t collect_results(const fs::path& sweep) {
    const PointsTable table = read_points_table(sweep);
    const std::size_t missing = write_results_csv(table, sweep / "results.csv");
    std::vector<fs::path> folders;
    for (const TablePoint& point : table.points) {
        folders.push_back(point.directory);
    }
    write_censored_csv(folders, sweep / "censored.csv");
    write_results_sqlite(sweep);
    write_file(sweep / sweep_manifest_name,
               text_of_manifest(make_sweep_manifest(sweep, keys_of(table))));
    return missing;
}

}  // namespace berth::experiments
