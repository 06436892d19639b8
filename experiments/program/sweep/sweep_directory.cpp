#include "experiments/program/sweep/sweep_directory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "core/support/csv_record.hpp"
#include "core/support/file_kind.hpp"
#include "core/support/file_reader.hpp"
#include "core/support/source.hpp"
#include "experiments/program/run/csv_recorder.hpp"
#include "experiments/program/support/documents.hpp"
#include "experiments/program/support/temporary.hpp"
#include "experiments/program/support/whole_file.hpp"

namespace berth::experiments {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view lock_suffix = ".lock";

/// metadata.name of the sweep that a directory belongs to; nothing if it belongs to none.
std::optional<std::string> sweep_at(const fs::path& place) {
    if (!core::exists(place / "sweep.yaml")) {
        return std::nullopt;
    }
    for (const core::Value& document : parse_documents(read_source(place / "sweep.yaml"))) {
        const core::Value* metadata = document.is_map() ? document.find("metadata") : nullptr;
        const core::Value* name =
            metadata != nullptr && metadata->is_map() ? metadata->find("name") : nullptr;
        return name != nullptr ? name->text : "sweep";
    }
    return "";
}

/// Whether a place has only what a sweep creates before its sweep.yaml: another process may be
/// doing this, or was killed while doing it.
bool is_beginning_of_sweep(const fs::path& place) {
    if (!core::is_folder(place)) {
        return false;
    }
    for (const fs::directory_entry& entry : fs::directory_iterator(place)) {
        const std::string name = entry.path().filename().string();
        if (name != "points" && name != "files.lock" && place_of_leftover(name) != "sweep.yaml") {
            return false;
        }
    }
    return !core::exists(place / "points") || fs::is_empty(place / "points");
}

bool is_own_file(const std::string& name) {
    return name == sweep_manifest_name ||
           std::ranges::find(sweep_files, name) != sweep_files.end() ||
           std::ranges::find(plan_files, name) != plan_files.end();
}

/// Errors: core::InputError if a file of the sweep cannot be written, because something that is not
///         a file has its name: writing into a pipe would wait for a reader.
void check_are_files(const fs::path& sweep) {
    std::vector<std::string_view> names(sweep_files.begin(), sweep_files.end());
    names.insert(names.end(), plan_files.begin(), plan_files.end());
    names.emplace_back(sweep_manifest_name);
    for (const std::string_view name : names) {
        const fs::path path = sweep / name;
        if (core::exists(path) && !core::is_file(path)) {
            throw core::InputError(
                fmt::format("{}: error: is not a file, and the sweep writes one there: expected it "
                            "elsewhere, or another folder by -o",
                            path.string()));
        }
    }
}

void write_if_other(const fs::path& file, const std::string& content) {
    if (core::text_of_file_if_any(file) != content) {
        write_file(file, content);
    }
}

}  // namespace

SweepDirectory::SweepDirectory(fs::path place, const SweepSpec& sweep) : place_(std::move(place)) {
    check_is_free_for(sweep.name);
}

void SweepDirectory::check_is_free_for(const std::string& sweep) const {
    if (is_being_made(follow_links(place_))) {
        throw core::InputError(
            fmt::format("{}: error: a run is being written there: expected to wait until it is "
                        "done, or another folder",
                        place_.string()));
    }
    if (!core::exists(place_)) {
        return;
    }
    check_are_files(place_);
    // The order of these checks matters: a sweep that begins at the same time creates sweep.yaml
    // before anything else that is not of the beginning.
    const bool begins = is_beginning_of_sweep(place_);
    const auto name = sweep_at(place_);
    if (name && *name != sweep) {
        throw core::InputError(fmt::format(
            "{}: error: belongs to another sweep, '{}': expected a folder of '{}', or a "
            "new one by -o",
            place_.string(),
            *name,
            sweep));
    }
    if (!name && !begins) {
        throw core::InputError(
            fmt::format("{}: error: exists and is not a sweep directory: expected a new folder, or "
                        "one that berth sweep wrote",
                        place_.string()));
    }
}

void SweepDirectory::prepare(const SweepSpec& sweep,
                             const SweepPoints& points,
                             const std::vector<PointKey>& keys) const {
    std::vector<fs::path> made;
    try {
        for (const fs::path& folder : {place_, place_ / "points"}) {
            const std::vector<fs::path> more = make_folders(folder);
            made.insert(made.begin(), more.begin(), more.end());
            (void)fs::directory_iterator(folder);  // a umask may withhold it from its owner
        }
    } catch (const std::system_error& why) {
        remove_empty(made);
        throw core::InputError(
            fmt::format("{}: error: cannot be created ({}): expected a folder that can be written",
                        place_.string(),
                        why.code().message()));
    }
    const FileLock lock = lock_files();
    try {
        check_is_free_for(sweep.name);  // something else may have begun in the meantime
    } catch (const core::InputError&) {
        remove_empty(made);
        throw;
    }
    write_if_other(place_ / "sweep.yaml", emit_yaml(sweep.resolved));
    write_if_other(place_ / "points.csv", points_csv(sweep, points, keys));
    remove_leftovers();
    sync_folder(place_);  // a command that was killed may have moved a file there
}

bool is_done(const fs::path& point) {
    return core::is_folder(point) && core::exists(point / "manifest.json");
}

bool SweepDirectory::has_point(const PointKey& key) const {
    const fs::path place = point(key);
    if (is_done(place)) {
        return true;
    }
    const bool is_free = core::is_folder(place) ? fs::is_empty(place) : !core::exists(place);
    if (is_free || is_done(place)) {  // which another process may have put there since
        return !is_free;
    }
    throw core::InputError(
        fmt::format("{}: error: is no result of a point, and the sweep writes one there: expected "
                    "it elsewhere, or another folder of the sweep by -o",
                    place.string()));
}

void SweepDirectory::sync_points() const {
    sync_folder(place_ / "points");
}

std::optional<FileLock> SweepDirectory::try_lock_point(const PointKey& key) const {
    return FileLock::try_lock(point(key).string() + std::string(lock_suffix));
}

FileLock SweepDirectory::lock_files() const {
    return FileLock::lock(place_ / "files.lock");
}

/// Everything else in a sweep's folders belongs to its user, and stays.
void SweepDirectory::remove_leftovers() const {
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator(place_)) {
        if (is_own_file(place_of_leftover(entry.path().filename().string()))) {
            fs::remove(entry.path(), ignored);  // its writer held the lock that is held here now
        }
    }
    std::vector<std::pair<fs::path, PointKey>> leftovers;
    for (const fs::directory_entry& entry : fs::directory_iterator(place_ / "points")) {
        const std::string name = entry.path().filename().string();
        const PointKey key = name.ends_with(lock_suffix)
                                 ? name.substr(0, name.size() - lock_suffix.size())
                                 : place_of_leftover(name);
        if (is_point_key(key)) {
            leftovers.emplace_back(entry.path(), key);
        }
    }
    for (const auto& [leftover, key] : leftovers) {
        if (const auto lock = try_lock_point(key)) {
            fs::remove_all(leftover, ignored);
        }
    }
}

std::string points_csv(const SweepSpec& sweep,
                       const SweepPoints& points,
                       const std::vector<PointKey>& keys) {
    std::string out = "point,key";
    for (const Axis& axis : sweep.axes) {
        out += "," + core::csv_field(axis.name);
    }
    out += '\n';
    for (std::size_t point = 0; point < points.size(); ++point) {
        out += fmt::format("{},{}", point, keys[point]);
        for (const std::string& text : points.texts(point)) {
            out += "," + core::csv_field(text);
        }
        out += '\n';
    }
    return out;
}

}  // namespace berth::experiments
