#include "packed.hpp"

#if defined(__GNUC__) && !defined(__clang__)
// g++ 12 falsely reports overlong copies in boost's gzip_compressor.
#pragma GCC diagnostic ignored "-Warray-bounds"
#pragma GCC diagnostic ignored "-Wstringop-overread"
#endif

#include <zstd.h>

#include <boost/iostreams/device/back_inserter.hpp>
#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filtering_stream.hpp>
#include <stdexcept>
#include <string>
#include <string_view>

namespace berth::tests {

namespace io = boost::iostreams;

std::string gzip(std::string_view text) {
    std::string out;
    {
        io::filtering_ostream packed;
        packed.push(io::gzip_compressor(io::gzip::best_compression));
        packed.push(io::back_inserter(out));
        packed.write(text.data(), static_cast<std::streamsize>(text.size()));
    }
    return out;
}

std::string zstd(std::string_view text) {
    std::string out(ZSTD_compressBound(text.size()), '\0');
    const std::size_t size =
        ZSTD_compress(out.data(), out.size(), text.data(), text.size(), ZSTD_maxCLevel());
    if (ZSTD_isError(size) != 0) {
        throw std::runtime_error(ZSTD_getErrorName(size));
    }
    out.resize(size);
    return out;
}

std::string repeated(std::string_view text, std::size_t count) {
    std::string out;
    for (std::size_t i = 0; i < count; ++i) {
        out += text;
    }
    return out;
}

}  // namespace berth::tests
