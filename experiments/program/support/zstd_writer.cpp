#include "experiments/program/support/zstd_writer.hpp"

#include <zstd.h>

#include <cstddef>
#include <new>
#include <stdexcept>

namespace berth::experiments {
namespace {

void check(std::size_t code) {
    if (ZSTD_isError(code) != 0) {
        throw std::runtime_error(ZSTD_getErrorName(code));
    }
}

}  // namespace

class ZstdWriter::Frame {
public:
    Frame() {
        if (context_ == nullptr) {
            throw std::bad_alloc();
        }
        check(ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_checksumFlag, 1));
    }

    std::string add(std::string_view piece, ZSTD_EndDirective directive) {
        std::string packed;
        ZSTD_inBuffer in{piece.data(), piece.size(), 0};
        std::size_t left = 0;
        do {
            const std::size_t begin = packed.size();
            packed.resize(begin + ZSTD_CStreamOutSize());
            ZSTD_outBuffer out{packed.data(), packed.size(), begin};
            left = ZSTD_compressStream2(context_.get(), &out, &in, directive);
            check(left);
            packed.resize(out.pos);
        } while (directive == ZSTD_e_end ? left > 0 : in.pos < in.size);
        return packed;
    }

private:
    std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context_{ZSTD_createCCtx(),
                                                                  &ZSTD_freeCCtx};
};

ZstdWriter::ZstdWriter() : frame_(std::make_unique<Frame>()) {}

ZstdWriter::~ZstdWriter() = default;

std::string ZstdWriter::add(std::string_view piece) {
    return frame_->add(piece, ZSTD_e_continue);
}

std::string ZstdWriter::finish() {
    return frame_->add({}, ZSTD_e_end);
}

std::string zstd_packed(std::string_view text) {
    std::string out(ZSTD_compressBound(text.size()), '\0');
    const std::size_t size =
        ZSTD_compress(out.data(), out.size(), text.data(), text.size(), ZSTD_CLEVEL_DEFAULT);
    check(size);
    out.resize(size);
    return out;
}

}  // namespace berth::experiments
