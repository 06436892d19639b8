#include "experiments/program/support/whole_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <iostream>
#include <system_error>

#include "core/support/file_kind.hpp"
#include "core/support/source.hpp"

namespace berth::experiments {
namespace {

namespace fs = std::filesystem;

/// Returns the descriptor, which the caller has to close.
int checked(int descriptor, const fs::path& path) {
    if (descriptor < 0) {
        throw std::system_error(errno, std::generic_category(), path.string());
    }
    return descriptor;
}

}  // namespace

fs::path follow_links(fs::path path) {
    constexpr int links_max = 40;  // the system's own limit
    std::error_code ignored;
    for (int links = 0; links < links_max && fs::is_symlink(path, ignored); ++links) {
        path = path.parent_path() / fs::read_symlink(path);
    }
    return path;
}

void check_file_name(const fs::path& path) {
    if (path.empty()) {
        throw core::InputError("'': error: not a file name: expected the name of a file to write");
    }
}

WholeFile::WholeFile(const fs::path& path) {
    check_file_name(path);
    if (core::exists(path) && !core::is_file(path)) {
        writer_.emplace(checked(::open(path.c_str(), O_WRONLY | O_CLOEXEC), path), path);
        return;
    }
    temporary_.emplace(follow_links(path), Temporary::Kind::file);
    writer_.emplace(checked(::fcntl(temporary_->descriptor(), F_DUPFD_CLOEXEC, 0), path), path);
}

void WholeFile::commit() {
    writer_->close();
    if (temporary_) {
        temporary_->move_to_place();
    }
}

void write_file(const fs::path& path, std::string_view content) {
    if (path == "-") {
        std::cout << content;
        std::cout.flush();
        return;
    }
    WholeFile file(path);
    file.out() << content;
    file.commit();
}

}  // namespace berth::experiments
