#include "experiments/program/support/file_writer.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <streambuf>
#include <system_error>
#include <utility>
#include <vector>

#include "core/support/assert.hpp"

namespace berth::experiments {
namespace {

/// Whether an error says that a file cannot be synced: pipes and terminals, and folders of some
/// file systems.
bool cannot_be_synced(int why) {
    return why == EINVAL || why == ENOTSUP || why == EROFS;
}

int sync(int descriptor) {
    int status = 0;
    do {
        status = ::fsync(descriptor);
    } while (status != 0 && errno == EINTR);
    return status == 0 || cannot_be_synced(errno) ? 0 : errno;
}

}  // namespace

class FileWriter::Buffer : public std::streambuf {
public:
    Buffer(int descriptor, std::string name, Digest digest)
        : descriptor_(descriptor), name_(std::move(name)), block_(std::size_t{1} << 16U) {
        if (digest == Digest::sha256) {
            sha256.emplace();
        }
        setp(block_.data(), block_.data() + block_.size());
    }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    ~Buffer() override {
        if (descriptor_ >= 0) {
            ::close(descriptor_);
        }
    }

    void close() {
        flush();
        const int synced = experiments::sync(descriptor_);
        const int closed = ::close(std::exchange(descriptor_, -1)) == 0 ? 0 : errno;
        if (synced != 0 || (closed != 0 && closed != EINTR)) {
            fail(synced != 0 ? synced : closed);
        }
    }

    std::optional<Sha256> sha256;

protected:
    int_type overflow(int_type letter) override {
        flush();
        if (traits_type::eq_int_type(letter, traits_type::eof())) {
            return traits_type::not_eof(letter);
        }
        return sputc(traits_type::to_char_type(letter));
    }
    std::streamsize xsputn(const char* from, std::streamsize size) override {
        if (size > epptr() - pptr()) {
            flush();
            if (size >= static_cast<std::streamsize>(block_.size())) {
                write(from, static_cast<std::size_t>(size));
                return size;
            }
        }
        std::copy_n(from, size, pptr());
        pbump(static_cast<int>(size));
        return size;
    }
    int sync() override {
        flush();
        return 0;
    }

private:
    void flush() {
        const auto size = static_cast<std::size_t>(pptr() - pbase());
        setp(block_.data(), block_.data() + block_.size());
        write(block_.data(), size);
    }
    void write(const char* from, std::size_t size) {
        if (sha256) {
            sha256->add({from, size});
        }
        while (size > 0) {
            const ssize_t put = ::write(descriptor_, from, size);
            if (put > 0) {
                from += put;
                size -= static_cast<std::size_t>(put);
            } else if (put == 0 || errno != EINTR) {
                fail(put == 0 ? EIO : errno);
            }
        }
    }
    [[noreturn]] void fail(int why) const {
        throw std::system_error(why, std::generic_category(), name_);
    }

    int descriptor_;
    std::string name_;
    std::vector<char> block_;
};

FileWriter::FileWriter(int descriptor, const std::filesystem::path& name, Digest digest)
    : std::ostream(nullptr), buffer_(std::make_unique<Buffer>(descriptor, name.string(), digest)) {
    rdbuf(buffer_.get());
    exceptions(std::ios::badbit);
}

FileWriter::~FileWriter() = default;

void FileWriter::close() {
    buffer_->close();
}

std::string FileWriter::sha256() {
    BERTH_ASSERT(buffer_->sha256, "a digest is had that was asked for");
    return buffer_->sha256->hex();
}

void sync_file(int descriptor, const std::filesystem::path& name) {
    if (const int why = sync(descriptor); why != 0) {
        throw std::system_error(why, std::generic_category(), name.string());
    }
}

namespace {

/// Skips a file that may be written but not read.
void sync_path(const std::filesystem::path& path, int flags) {
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | flags);
    const int why = descriptor < 0 ? errno : sync(descriptor);
    if (descriptor >= 0) {
        ::close(descriptor);
    }
    if (why != 0 && why != EACCES) {
        throw std::system_error(why, std::generic_category(), path.string());
    }
}

}  // namespace

void sync_folder(const std::filesystem::path& folder) {
    sync_path(folder.empty() ? "." : folder, O_DIRECTORY);
}

void sync_tree(const std::filesystem::path& path) {
    namespace fs = std::filesystem;
    const fs::file_type type = fs::symlink_status(path).type();
    if (type == fs::file_type::directory) {
        for (const fs::directory_entry& entry : fs::directory_iterator(path)) {
            sync_tree(entry.path());
        }
        sync_folder(path);
    } else if (type == fs::file_type::regular) {
        sync_path(path, 0);
    }
}

}  // namespace berth::experiments
