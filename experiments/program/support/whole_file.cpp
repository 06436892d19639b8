#include "experiments/program/support/whole_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "core/support/source.hpp"

namespace berth::experiments {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& path, int why) {
    throw std::system_error(why != 0 ? why : EIO, std::generic_category(), path.string());
}

}  // namespace

WholeFile::WholeFile(fs::path path) : path_(std::move(path)) {
    if (path_.empty()) {
        throw core::InputError("'': error: not a file name: expected the name of a file to write");
    }
    std::error_code ignored;
    const bool special = fs::exists(path_, ignored) && !fs::is_regular_file(path_, ignored);
    temporary_ = special ? path_ : fs::path(fmt::format("{}.tmp-{}", path_.string(), ::getpid()));
    errno = 0;
    file_.open(temporary_, std::ios::binary);
    if (!file_) {
        fail(path_, errno);
    }
}

WholeFile::~WholeFile() {
    if (!committed_ && temporary_ != path_) {
        std::error_code ignored;
        fs::remove(temporary_, ignored);
    }
}

void WholeFile::commit() {
    errno = 0;
    file_.close();
    if (!file_) {
        fail(path_, errno);
    }
    if (temporary_ != path_) {
        std::error_code error;
        fs::rename(temporary_, path_, error);
        if (error) {
            throw std::system_error(error, path_.string());
        }
    }
    committed_ = true;
}

}  // namespace berth::experiments
