#include "core/support/file_kind.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "core/support/file_reader.hpp"

namespace berth::core {

FileKind kind_of(const std::filesystem::path& path) {
    struct stat status{};
    if (::stat(path.c_str(), &status) != 0) {
        constexpr std::array nothing_there{ENOENT, ENOTDIR, ENAMETOOLONG};
        if (std::ranges::find(nothing_there, errno) == nothing_there.end()) {
            throw ReadError(path, errno);
        }
        return FileKind::none;
    }
    if (S_ISREG(status.st_mode)) {
        return FileKind::file;
    }
    return S_ISDIR(status.st_mode) ? FileKind::folder : FileKind::other;
}

}  // namespace berth::core
