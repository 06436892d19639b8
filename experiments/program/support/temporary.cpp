#include "experiments/program/support/temporary.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ranges>
#include <string>
#include <system_error>
#include <utility>

#include "core/support/file_kind.hpp"
#include "core/support/source.hpp"
#include "experiments/program/support/file_writer.hpp"
#include "experiments/program/support/interrupts.hpp"

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
bool lock(int descriptor, int how) {
    int status = 0;
    do {
        status = ::flock(descriptor, how);
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
        // If it is gone, another process took it for a leftover, and another one must be made.
        errno = why == ENOENT ? EEXIST : why;
    }
    return descriptor;
}

/// Locks a file that is not locked otherwise, as long as this lives.
class Held {
public:
    explicit Held(const fs::path& path)
        : descriptor_(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW)) {
        const bool is_ours = descriptor_ >= 0 && lock(descriptor_, LOCK_EX | LOCK_NB);
        held_by_another_ = descriptor_ >= 0 && !is_ours && errno == EWOULDBLOCK;
        locked_ = is_ours && is_there(path, descriptor_);
    }
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;
    ~Held() { ::close(descriptor_); }
    [[nodiscard]] bool locked() const { return locked_; }
    [[nodiscard]] bool is_held_by_another() const { return held_by_another_; }

private:
    int descriptor_;
    bool held_by_another_ = false;
    bool locked_ = false;
};

/// The files that an interrupt removes. With more files at a time, some stay.
std::array<std::atomic<const char*>, 16> files_of_interrupts{};

/// Exchanges one of the entries that are `was`, if there is one.
void exchange_entry(const char* was, const char* now) {
    (void)std::ranges::any_of(files_of_interrupts, [&](std::atomic<const char*>& file) {
        const char* expected = was;
        return file.compare_exchange_strong(expected, now);
    });
}

extern "C" void remove_files_and_end(int signal) {
    for (const std::atomic<const char*>& file : files_of_interrupts) {
        if (const char* const path = file.load(); path != nullptr) {
            ::unlink(path);
        }
    }
    (void)std::signal(signal, SIG_DFL);
    (void)std::raise(signal);
}

/// Renames a folder, if nothing has the new name. Returns whether nothing had it.
bool rename_to_free(const fs::path& from, const fs::path& to) {
    constexpr std::array something_there{EEXIST, ENOTEMPTY, ENOTDIR};
    // Without flags, for file systems that know none, a folder replaces nothing but an empty one.
    for (const unsigned flags : {unsigned{RENAME_NOREPLACE}, 0U}) {
        if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), flags) == 0) {
            return true;
        }
        if (std::ranges::find(something_there, errno) != something_there.end()) {
            return false;
        }
        if (flags == 0 || (errno != EINVAL && errno != ENOSYS)) {
            break;
        }
    }
    throw std::system_error(errno, std::generic_category(), to.string());
}

/// Whether the path names anything, also a link that leads nowhere.
bool is_name(const fs::path& path) {
    std::error_code ignored;
    return fs::symlink_status(path, ignored).type() != fs::file_type::not_found;
}

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

fs::path temporary_folder() {
    std::error_code error;
    fs::path folder = fs::temp_directory_path(error);
    if (!error) {
        return folder;
    }
    // The variables at which the standard library looks, in their order.
    for (const char* name : {"TMPDIR", "TMP", "TEMP", "TEMPDIR"}) {
        if (const char* const named = std::getenv(name); named != nullptr) {
            throw core::InputError(fmt::format(
                "{}: error: '{}': {}: expected a folder", name, named, error.message()));
        }
    }
    throw core::InputError(
        fmt::format("/tmp: error: {}: expected a folder, or one in TMPDIR", error.message()));
}

void remove_files_at_interrupt() {
    at_interrupt(&remove_files_and_end);
}

bool is_being_made(const fs::path& place) {
    const std::vector<fs::path> made =
        siblings(place.has_filename() ? place : place.parent_path(), mark);
    return std::ranges::any_of(
        made, [](const fs::path& path) { return Held(path).is_held_by_another(); });
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
        exchange_entry(path_.c_str(), nullptr);
        path_ = random_sibling(place_, mark);
        if (kind_ == Kind::file) {
            exchange_entry(nullptr, path_.c_str());  // before an interrupt can find the file
        }
        descriptor_ = kind_ == Kind::file ? make_file(path_) : make_folder(path_);
        if (descriptor_ < 0 && errno != EEXIST && errno != EINTR) {
            const int why = errno;
            exchange_entry(path_.c_str(), nullptr);
            throw std::system_error(why, std::generic_category(), place_.string());
        }
        // Whoever looks for leftovers may hold it for a moment.
    } while (descriptor_ < 0 || (lock(descriptor_, LOCK_EX) && !is_there(path_, descriptor_)));
}

Temporary::~Temporary() {
    exchange_entry(path_.c_str(), nullptr);
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
    fs::rename(old, path_, ignored);
}

/// Returns whether there was anything to exchange with.
bool Temporary::exchange_with_place() {
    if (::renameat2(AT_FDCWD, path_.c_str(), AT_FDCWD, place_.c_str(), RENAME_EXCHANGE) == 0) {
        return true;
    }
    if (errno == EINVAL || errno == ENOSYS) {
        replace_in_two_steps();  // the file system cannot exchange the two
        return true;
    }
    if (errno != ENOENT || !is_name(path_)) {
        throw std::system_error(errno, std::generic_category(), place_.string());
    }
    return false;
}

void Temporary::move_to_place() {
    sync_file(descriptor_, place_);
    if (kind_ == Kind::file) {
        if (::rename(path_.c_str(), place_.c_str()) != 0) {
            throw std::system_error(errno, std::generic_category(), place_.string());
        }
    } else {
        // What is there may come and go in the meantime.
        while (!(is_name(place_) ? exchange_with_place() : rename_to_free(path_, place_))) {
        }
    }
    sync_folder(place_.parent_path());  // before the old content is removed
}

bool Temporary::move_to_free(const fs::path& other) const {
    sync_file(descriptor_, other);
    if (!rename_to_free(path_, other)) {
        return false;
    }
    sync_folder(other.parent_path());
    return true;
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
