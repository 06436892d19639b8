#include "core/support/file_reader.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <streambuf>
#include <system_error>
#include <utility>
#include <vector>

#include "core/support/file_kind.hpp"
#include "core/support/source.hpp"

namespace berth::core {

class FileReader::Buffer : public std::streambuf {
public:
    Buffer(int descriptor, std::string name)
        : name_(std::move(name)), block_(std::size_t{1} << 16U), descriptor_(descriptor) {}
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    ~Buffer() override { ::close(descriptor_); }

protected:
    int_type underflow() override {
        if (gptr() == egptr()) {
            const std::size_t got = read(block_.data(), block_.size());
            setg(block_.data(), block_.data(), block_.data() + got);
        }
        return gptr() == egptr() ? traits_type::eof() : traits_type::to_int_type(*gptr());
    }
    /// Large pieces go straight to where they are wanted, without a copy.
    std::streamsize xsgetn(char* to, std::streamsize size) override {
        std::streamsize count = std::min(size, static_cast<std::streamsize>(egptr() - gptr()));
        std::copy_n(gptr(), count, to);
        gbump(static_cast<int>(count));
        while (count < size) {
            const auto left = static_cast<std::size_t>(size - count);
            if (left < block_.size()) {
                return count + std::streambuf::xsgetn(to + count, size - count);
            }
            const auto got = static_cast<std::streamsize>(read(to + count, left));
            if (got == 0) {
                break;
            }
            count += got;
        }
        return count;
    }

private:
    std::size_t read(char* to, std::size_t size) {
        ssize_t got = 0;
        do {
            got = ::read(descriptor_, to, size);
        } while (got < 0 && errno == EINTR);
        if (got < 0) {
            fail();
        }
        return static_cast<std::size_t>(got);
    }
    [[noreturn]] void fail() const { throw ReadError(name_, errno); }

    std::string name_;
    std::vector<char> block_;
    int descriptor_;
};

namespace {

int opened(const std::filesystem::path& path) {
    int descriptor = -1;
    do {
        descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    } while (descriptor < 0 && errno == EINTR);
    if (descriptor < 0) {
        throw ReadError(path, errno);
    }
    return descriptor;
}

}  // namespace

FileReader::FileReader(const std::filesystem::path& path)
    : FileReader(opened(path), path.string()) {}

FileReader::FileReader(int descriptor, std::string name)
    : std::istream(nullptr), buffer_(std::make_unique<Buffer>(descriptor, std::move(name))) {
    rdbuf(buffer_.get());
    exceptions(std::ios::badbit);
}

FileReader::~FileReader() = default;

std::istream& standard_input() {
    static FileReader in(STDIN_FILENO, "-");
    return in;
}

std::string text_of_file(const std::filesystem::path& path) {
    if (kind_of(path) == FileKind::other) {
        throw InputError(path.string() +
                         ": error: is a device or a pipe, which may have no end: expected a file");
    }
    FileReader in(path);
    std::string text;
    std::vector<char> block(std::size_t{1} << 16U);
    while (const auto got =
               in.rdbuf()->sgetn(block.data(), static_cast<std::streamsize>(block.size()))) {
        text.append(block.data(), static_cast<std::size_t>(got));
    }
    return text;
}

std::optional<std::string> text_of_file_if_any(const std::filesystem::path& path) {
    try {
        return text_of_file(path);
    } catch (const ReadError& error) {
        if (error.code() == std::errc::no_such_file_or_directory ||
            error.code() == std::errc::not_a_directory) {
            return std::nullopt;
        }
        throw;
    }
}

}  // namespace berth::core
