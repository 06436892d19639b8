#include "core/support/packed_stream.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <new>
#include <optional>
#include <streambuf>
#include <utility>
#include <vector>

#include "core/support/file_reader.hpp"

namespace berth::core {

class PackedStream::Buffer : public std::streambuf {
public:
    Buffer(std::unique_ptr<std::istream> text,
           std::string name,
           std::string expected,
           Explain explain)
        : text_(std::move(text)),
          name_(std::move(name)),
          expected_(std::move(expected)),
          explain_(std::move(explain)),
          block_(std::size_t{1} << 16U) {}

protected:
    int_type underflow() override {
        if (gptr() == egptr()) {
            fill();
            throw_if_failed();
        }
        return gptr() == egptr() ? traits_type::eof() : traits_type::to_int_type(*gptr());
    }
    /// Delivers the text before an error; the next call throws.
    std::streamsize xsgetn(char* to, std::streamsize size) override {
        std::streamsize count = 0;
        while (count < size) {
            if (gptr() == egptr()) {
                fill();
            }
            if (gptr() == egptr()) {
                break;
            }
            const std::streamsize more =
                std::min(size - count, static_cast<std::streamsize>(egptr() - gptr()));
            std::copy_n(gptr(), more, to + count);
            gbump(static_cast<int>(more));
            count += more;
        }
        if (count == 0 && size > 0) {
            throw_if_failed();
        }
        return count;
    }

private:
    /// Reads a block, or the text before the end or an error. An error is kept for later.
    void fill() {
        std::size_t count = 0;
        while (count < block_.size() && !failure_) {
            try {
                // Text that is already unpacked comes without an error; text that is still packed
                // may not.
                if (text_->rdbuf()->sgetc() == traits_type::eof()) {
                    break;
                }
                const auto room = static_cast<std::streamsize>(block_.size() - count);
                const std::streamsize at_hand =
                    std::max<std::streamsize>(text_->rdbuf()->in_avail(), 1);
                count += static_cast<std::size_t>(
                    text_->rdbuf()->sgetn(block_.data() + count, std::min(room, at_hand)));
            } catch (const ReadError&) {
                throw;  // the disk is at fault, not its content
            } catch (const std::bad_alloc&) {
                throw;  // the machine is at fault, not the file
            } catch (const std::exception& fault) {
                failure_ = explain_ ? explain_(fault) : fault.what();
            }
        }
        setg(block_.data(), block_.data(), block_.data() + count);
    }

    void throw_if_failed() const {
        if (gptr() == egptr() && failure_) {
            throw DamagedFile(fmt::format(
                "{}: error: cut short or damaged ({}): expected {}", name_, *failure_, expected_));
        }
    }

    std::unique_ptr<std::istream> text_;
    std::string name_;
    std::string expected_;
    Explain explain_;
    std::vector<char> block_;
    std::optional<std::string> failure_;  ///< Why no text follows the block.
};

PackedStream::PackedStream(std::unique_ptr<std::istream> text,
                           std::string name,
                           std::string expected,
                           Explain explain)
    : std::istream(nullptr),
      buffer_(std::make_unique<Buffer>(
          std::move(text), std::move(name), std::move(expected), std::move(explain))) {
    rdbuf(buffer_.get());
    exceptions(std::ios::badbit);
}

PackedStream::~PackedStream() = default;

}  // namespace berth::core
