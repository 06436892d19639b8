#include "experiments/program/support/unnamed_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>
#include <system_error>
#include <utility>

namespace berth::experiments {
namespace {

/// Where a file system makes no files without names, one loses its name at once.
int open_unnamed(const std::filesystem::path& folder) {
    constexpr mode_t for_owner = 0600;
    const int descriptor = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, for_owner);
    if (descriptor >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != ENOENT)) {
        return descriptor;
    }
    std::string name = (folder / "rows-XXXXXX").string();
    const int named = ::mkostemp(name.data(), O_CLOEXEC);
    if (named >= 0) {
        ::unlink(name.c_str());
    }
    return named;
}

}  // namespace

UnnamedFile::UnnamedFile(Place place)
    : place_(std::move(place)), descriptor_(open_unnamed(place_.folder)) {
    if (descriptor_ < 0) {
        fail(errno);
    }
}

UnnamedFile::~UnnamedFile() {
    ::close(descriptor_);
}

std::uint64_t UnnamedFile::append(std::string_view bytes) {
    const std::uint64_t begin = size_;
    while (!bytes.empty()) {
        const ssize_t put =
            ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(size_));
        if (put > 0) {
            size_ += static_cast<std::uint64_t>(put);
            bytes.remove_prefix(static_cast<std::size_t>(put));
        } else if (put == 0 || errno != EINTR) {
            fail(put == 0 ? EIO : errno);
        }
    }
    return begin;
}

void UnnamedFile::read(std::uint64_t from, std::span<char> out) const {
    while (!out.empty()) {
        const ssize_t got = ::pread(descriptor_, out.data(), out.size(), static_cast<off_t>(from));
        if (got > 0) {
            from += static_cast<std::uint64_t>(got);
            out = out.subspan(static_cast<std::size_t>(got));
        } else if (got == 0 || errno != EINTR) {
            fail(got == 0 ? EIO : errno);
        }
    }
}

void UnnamedFile::give_back(std::uint64_t from, std::uint64_t size) const {
    (void)::fallocate(descriptor_,
                      FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                      static_cast<off_t>(from),
                      static_cast<off_t>(size));
}

void UnnamedFile::fail(int why) const {
    throw std::system_error(why, std::generic_category(), place_.name.string());
}

}  // namespace berth::experiments
