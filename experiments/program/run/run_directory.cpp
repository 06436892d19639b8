#include "experiments/program/run/run_directory.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <system_error>

#include "core/support/source.hpp"
#include "experiments/program/support/sha256.hpp"
#include "experiments/program/support/whole_file.hpp"

namespace berth::experiments {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& path) {
    throw std::system_error(errno != 0 ? errno : EIO, std::generic_category(), path.string());
}

/// Others have a manifest.json too: berth's says so.
bool has_manifest(const fs::path& place) {
    std::ifstream file(place / "manifest.json");
    const auto manifest = nlohmann::json::parse(file, nullptr, false);
    return manifest.is_object() && manifest.contains("schema") &&
           manifest["schema"] == manifest_schema;
}

bool is_run_directory(const fs::path& place) {
    std::error_code ignored;
    return fs::is_directory(place, ignored) &&
           (fs::is_empty(place, ignored) || has_manifest(place));
}

}  // namespace

RunDirectory::RunDirectory(fs::path place) : place_(std::move(place)) {
    if (!place_.has_filename() && place_.has_relative_path()) {
        place_ = place_.parent_path();  // a trailing slash
    }
    if (!place_.has_filename() || place_.filename() == "." || place_.filename() == "..") {
        throw core::InputError(
            fmt::format("'{}': error: not a folder name: expected the name of a folder to make",
                        place_.string()));
    }
    std::error_code error;
    if (fs::exists(place_, error) && !is_run_directory(place_)) {
        throw core::InputError(
            fmt::format("{}: error: exists and is not a run directory: expected a new folder, or "
                        "one that berth run wrote",
                        place_.string()));
    }
    temporary_ = fmt::format("{}.tmp-{}", place_.string(), ::getpid());
    fs::remove_all(temporary_, error);
    for (fs::path parent = place_.parent_path(); !parent.empty() && !fs::exists(parent, error);
         parent = parent.parent_path()) {
        made_parents_.push_back(parent);
    }
    fs::create_directories(temporary_, error);
    if (error) {
        throw core::InputError(
            fmt::format("{}: error: cannot be created ({}): expected a folder "
                        "that can be written",
                        place_.string(),
                        error.message()));
    }
}

RunDirectory::~RunDirectory() {
    std::error_code ignored;
    fs::remove_all(temporary_, ignored);
    for (const fs::path& parent : made_parents_) {
        fs::remove(parent, ignored);  // only if nothing came of it
    }
}

std::ofstream RunDirectory::open(const std::string& name) {
    errno = 0;
    std::ofstream file(temporary_ / name, std::ios::binary);
    if (!file) {
        fail(place_ / name);
    }
    return file;
}

void RunDirectory::close_checked(std::ofstream& file, const std::string& name) {
    errno = 0;
    file.close();
    if (!file) {
        fail(place_ / name);
    }
}

void RunDirectory::write(const std::string& name, std::string_view content) {
    std::ofstream file = open(name);
    file << content;
    close_checked(file, name);
}

std::string RunDirectory::sha256(const std::string& name) const {
    return *sha256_of(temporary_ / name);
}

void RunDirectory::commit() {
    // The old run goes out of the way first, so that the place never holds a mixture.
    const fs::path old = place_.string() + fmt::format(".tmp-old-{}", ::getpid());
    std::error_code error;
    fs::remove_all(old, error);
    const bool replaces = fs::exists(place_);
    if (replaces) {
        fs::rename(place_, old);
    }
    fs::rename(temporary_, place_, error);
    if (error) {
        std::error_code ignored;
        if (replaces) {
            fs::rename(old, place_, ignored);
        }
        throw std::system_error(error, place_.string());
    }
    fs::remove_all(old, error);
}

void write_file(const fs::path& path, std::string_view content) {
    errno = 0;
    if (path == "-") {
        std::cout << content;
        std::cout.flush();
        if (!std::cout) {
            fail("standard output");
        }
        return;
    }
    WholeFile file(path);
    file.out() << content;
    file.commit();
}

}  // namespace berth::experiments
