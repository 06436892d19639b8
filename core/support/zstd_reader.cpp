#include "core/support/zstd_reader.hpp"

#include <zstd.h>

#include <cstddef>
#include <new>
#include <stdexcept>
#include <streambuf>
#include <utility>
#include <vector>

namespace berth::core {

class ZstdReader::Buffer : public std::streambuf {
public:
    explicit Buffer(std::unique_ptr<std::istream> packed)
        : in_(std::move(packed)), packed_(ZSTD_DStreamInSize()), text_(ZSTD_DStreamOutSize()) {
        if (decoder_ == nullptr) {
            throw std::bad_alloc();
        }
    }

protected:
    int_type underflow() override {
        if (gptr() == egptr()) {
            const std::size_t got = read();
            setg(text_.data(), text_.data(), text_.data() + got);
        }
        return gptr() == egptr() ? traits_type::eof() : traits_type::to_int_type(*gptr());
    }

private:
    /// Fills the block of text with at least one byte, unless the file ends here.
    std::size_t read() {
        ZSTD_outBuffer out{text_.data(), text_.size(), 0};
        while (out.pos == 0) {
            if (input_.pos == input_.size) {
                const auto room = static_cast<std::streamsize>(packed_.size());
                const std::streamsize got = in_->rdbuf()->sgetn(packed_.data(), room);
                input_ = {packed_.data(), static_cast<std::size_t>(got), 0};
            }
            const bool ended = input_.size == 0;
            if (ended && wanted_ == 0) {
                return 0;
            }
            wanted_ = ZSTD_decompressStream(decoder_.get(), &out, &input_);
            if (ZSTD_isError(wanted_) != 0) {
                throw std::runtime_error(ZSTD_getErrorName(wanted_));
            }
            if (ended && wanted_ != 0 && out.pos == 0) {
                throw std::runtime_error("it ends within a frame");
            }
        }
        return out.pos;
    }

    std::unique_ptr<std::istream> in_;
    std::vector<char> packed_;
    std::vector<char> text_;
    ZSTD_inBuffer input_{nullptr, 0, 0};
    std::unique_ptr<ZSTD_DStream, decltype(&ZSTD_freeDStream)> decoder_{ZSTD_createDStream(),
                                                                        &ZSTD_freeDStream};
    std::size_t wanted_ = 1;  ///< How many bytes the decoder wants next; 0 where a frame has ended.
};

ZstdReader::ZstdReader(std::unique_ptr<std::istream> packed)
    : std::istream(nullptr), buffer_(std::make_unique<Buffer>(std::move(packed))) {
    rdbuf(buffer_.get());
    exceptions(std::ios::badbit);
}

ZstdReader::~ZstdReader() = default;

}  // namespace berth::core
