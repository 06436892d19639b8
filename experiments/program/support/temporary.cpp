#include "experiments/program/support/temporary.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <ranges>
#include <string>
#include <system_error>
#include <utility>

#include "core/support/file_kind.hpp"
#include "experiments/program/support/file_writer.hpp"

namespace berth::experiments {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view mark = ".tmp-";
constexpr std::string_view mark_of_old = ".before-";
constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz234567";
constexpr std::size_t letter_count = 12;

/// The name is random: it cannot be guessed, so no other program can have put something there.
fs::path random_sibling(const fs::path& place, std::string_view between) {
    std::array<unsigned char, letter_count> bytes{};
    if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
        throw std::system_error(errno, std::generic_category(), place.string());
    }
    std::string name = place.string();
    name += between;
    for (const unsigned char byte : bytes) {
        name += letters[byte % letters.size()];
    }
    return name;
}

/// What stands before `between` in a name that random_sibling() made; empty for any other name.
std::string_view place_in(std::string_view name, std::string_view between) {
    if (name.size() <= between.size() + letter_count) {
        return {};
    }
    const std::size_t size = name.size() - letter_count - between.size();
    const bool is_made = name.substr(size, between.size()) == between &&
                         name.find_first_not_of(letters, size + between.size()) == name.npos;
    return is_made ? name.substr(0, size) : std::string_view();
}

/// Whether random_sibling() made the name for something at `place`.
bool is_sibling_of(const fs::path& place, std::string_view between, const std::string& name) {
    return place_in(name, between) == place.filename().string();
}

/// On a file system without locks, leftovers cannot be told from work in progress, and stay.
bool lock(int descriptor) {
    int status = 0;
    do {
        status = ::flock(descriptor, LOCK_EX | LOCK_NB);
    } while (status != 0 && errno == EINTR);
    return status == 0;
}

/// The existing files whose names random_sibling() made.
std::vector<fs::path> siblings(const fs::path& place, std::string_view between) {
    const fs::path parent = place.has_parent_path() ? place.parent_path() : ".";
    std::error_code ignored;
    std::vector<fs::path> found;
    for (fs::directory_iterator at(parent, ignored), end; !ignored && at != end;
         at.increment(ignored)) {
        if (is_sibling_of(place, between, at->path().filename().string())) {
            found.push_back(at->path());
        }
    }
    return found;
}

/// Whether the file is still there: between its creation and its locking, another process may have
/// removed it as a leftover.
bool is_there(const fs::path& path, int descriptor) {
    struct stat held{};
    struct stat there{};
    return ::fstat(descriptor, &held) == 0 && ::lstat(path.c_str(), &there) == 0 &&
           held.st_ino == there.st_ino && held.st_dev == there.st_dev;
}

int make_file(const fs::path& path) {
    constexpr mode_t for_all = 0666;
    return ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, for_all);
}

int make_folder(const fs::path& path) {
    constexpr mode_t for_all = 0777;
    if (::mkdir(path.c_str(), for_all) != 0) {
        return -1;
    }
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (descriptor < 0) {
        const int why = errno;
        ::rmdir(path.c_str());
        errno = why;
    }
    return descriptor;
}

/// Locks a file that is not locked otherwise, as long as this lives.
class Held {
public:
    explicit Held(const fs::path& path)
        : descriptor_(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW)),
          locked_(descriptor_ >= 0 && lock(descriptor_) && is_there(path, descriptor_)) {}
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;
    ~Held() { ::close(descriptor_); }
    [[nodiscard]] bool locked() const { return locked_; }

private:
    int descriptor_;
    bool locked_;
};

/// On a file system that cannot create files without names, the file loses its name at once.
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

namespace fs = std::filesystem;

std::vector<fs::path> make_folders(const fs::path& folder) {
    std::vector<fs::path> missing;
    fs::path at = folder;
    for (; !at.empty() && !core::exists(at); at = at.parent_path()) {
        missing.push_back(at);
    }
    try {
        if (!at.empty()) {
            sync_folder(at.parent_path());  // a command that was killed may have made it
        }
        for (const fs::path& path : missing | std::views::reverse) {
            fs::create_directory(path);
            sync_folder(path.parent_path());
        }
    } catch (const std::system_error&) {
        remove_empty(missing);
        throw;
    }
    return missing;
}

void remove_empty(const std::vector<fs::path>& folders) {
    for (const fs::path& folder : folders) {
        ::rmdir(folder.c_str());  // fails for files and links, which stay
    }
}

std::string place_of_leftover(std::string_view name) {
    const std::string_view place = place_in(name, mark);
    return std::string(place.empty() ? place_in(name, mark_of_old) : place);
}

Temporary::Temporary(fs::path place, Kind kind, Leftovers leftovers)
    : place_(std::move(place)), kind_(kind) {
    if (leftovers == Leftovers::possible) {
        remove_leftovers();
    }
    do {
        if (descriptor_ >= 0) {
            ::close(descriptor_);
        }
        path_ = random_sibling(place_, mark);
        descriptor_ = kind_ == Kind::file ? make_file(path_) : make_folder(path_);
        if (descriptor_ < 0 && errno != EEXIST && errno != EINTR) {
            throw std::system_error(errno, std::generic_category(), place_.string());
        }
    } while (descriptor_ < 0 || (lock(descriptor_) && !is_there(path_, descriptor_)));
}

Temporary::~Temporary() {
    ::close(descriptor_);  // first, because it may have been the last free descriptor
    std::error_code ignored;
    fs::remove_all(path_, ignored);
}

void Temporary::remove_leftovers() const {
    std::error_code ignored;
    for (const fs::path& leftover : siblings(place_, mark)) {
        if (const Held held(leftover); held.locked()) {
            fs::remove_all(leftover, ignored);
        }
    }
    for (const fs::path& old : siblings(place_, mark_of_old)) {
        const Held held(old);
        if (held.locked() && core::exists(place_)) {
            fs::remove_all(old, ignored);
        } else if (held.locked()) {
            fs::rename(old, place_, ignored);
        }
    }
}

/// For a moment, neither of the two is at the place. If the process is killed then, the old content
/// is beside its place, and remove_leftovers() moves it back.
void Temporary::replace_in_two_steps() {
    const fs::path old = random_sibling(place_, mark_of_old);
    const Held held(place_);
    std::error_code ignored;
    fs::rename(place_, old);
    if (::rename(path_.c_str(), place_.c_str()) != 0) {
        const int why = errno;
        fs::rename(old, place_, ignored);
        throw std::system_error(why, std::generic_category(), place_.string());
    }
    sync_folder(place_.parent_path());  // before the old content is removed
    fs::remove_all(old, ignored);
}

void Temporary::move_to_place() {
    sync_file(descriptor_, place_);
    const bool exchanges = kind_ == Kind::folder && core::exists(place_);
    const unsigned flags = exchanges ? RENAME_EXCHANGE : 0;
    if (::renameat2(AT_FDCWD, path_.c_str(), AT_FDCWD, place_.c_str(), flags) != 0) {
        if (!exchanges || (errno != EINVAL && errno != ENOSYS)) {
            throw std::system_error(errno, std::generic_category(), place_.string());
        }
        replace_in_two_steps();  // the file system cannot exchange the two
        return;
    }
    sync_folder(place_.parent_path());
}

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
