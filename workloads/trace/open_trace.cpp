#include <fmt/format.h>
#include <zstd.h>

#include <algorithm>
#include <boost/iostreams/concepts.hpp>
#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filtering_stream.hpp>
#include <boost/iostreams/stream.hpp>
#include <filesystem>
#include <iostream>
#include <stdexcept>
#include <system_error>

#include "core/support/file_kind.hpp"
#include "core/support/file_reader.hpp"
#include "core/support/source.hpp"
#include "core/support/value.hpp"
#include "workloads/trace/trace_reader.hpp"

namespace berth::workloads {
namespace {

namespace io = boost::iostreams;

constexpr std::streamsize block_bytes = std::streamsize{1} << 16U;

using Stream = std::shared_ptr<std::istream>;

/// A file's bytes.
class FileSource : public io::source {
public:
    explicit FileSource(Stream in) : in_(std::move(in)) {}
    std::streamsize read(char* to, std::streamsize size) {
        const std::streamsize got = in_->rdbuf()->sgetn(to, size);
        return got > 0 ? got : -1;
    }

private:
    Stream in_;
};

/// The text of a zstd file. Boost's decompressor takes any end for the end of the text; here a file
/// must end where a frame ends, and have one at least.
class ZstdText : public io::source {
public:
    explicit ZstdText(Stream in) : in_(std::move(in)), packed_(ZSTD_DStreamInSize()) {}
    std::streamsize read(char* to, std::streamsize size) {
        ZSTD_outBuffer out{to, static_cast<std::size_t>(size), 0};
        while (out.pos == 0) {
            if (input_.pos == input_.size) {
                const auto room = static_cast<std::streamsize>(packed_.size());
                const std::streamsize got = in_->rdbuf()->sgetn(packed_.data(), room);
                input_ = {packed_.data(), static_cast<std::size_t>(got), 0};
            }
            const bool ended = input_.size == 0;
            if (ended && wanted_ == 0) {
                return -1;
            }
            wanted_ = ZSTD_decompressStream(decoder_.get(), &out, &input_);
            if (ZSTD_isError(wanted_) != 0) {
                throw std::ios_base::failure(ZSTD_getErrorName(wanted_));
            }
            if (ended && wanted_ != 0 && out.pos == 0) {
                throw std::runtime_error("it ends within a frame");
            }
        }
        return static_cast<std::streamsize>(out.pos);
    }

private:
    Stream in_;
    std::vector<char> packed_;
    ZSTD_inBuffer input_{nullptr, 0, 0};
    std::shared_ptr<ZSTD_DStream> decoder_{ZSTD_createDStream(), &ZSTD_freeDStream};
    std::size_t wanted_ = 1;  ///< What the decoder would take; 0 where a frame has ended.
};

std::unique_ptr<std::istream> open_file(const std::string& file) {
    if (file == "-") {
        return std::make_unique<std::istream>(std::cin.rdbuf());
    }
    const auto refuse = [&](std::string_view why) {
        throw core::InputError(
            fmt::format("{}: error: cannot be read ({}): expected a readable file", file, why));
    };
    if (core::is_folder(file)) {
        refuse("is a directory");
    }
    try {
        return std::make_unique<core::FileReader>(file);
    } catch (const core::ReadError& error) {
        refuse(error.code().message());
    }
    return nullptr;  // not reached
}

}  // namespace

std::unique_ptr<std::istream> open_text(const std::string& file) {
    if (file.ends_with(".gz")) {
        auto filtered = std::make_unique<io::filtering_istream>();
        filtered->push(io::gzip_decompressor(io::gzip::default_window_bits, block_bytes),
                       block_bytes);
        filtered->push(FileSource(open_file(file)), block_bytes);
        return filtered;
    }
    if (file.ends_with(".zst")) {
        return std::make_unique<io::stream<ZstdText>>(ZstdText(open_file(file)), block_bytes);
    }
    return open_file(file);
}

namespace {

const TraceFormat& format_named(const std::string& format, const std::string& file) {
    std::vector<std::string> known;
    for (const TraceFormat& entry : trace_formats()) {
        if (entry.name == format) {
            return entry;
        }
        known.emplace_back(entry.name);
    }
    throw core::InputError(fmt::format("{}: error: unknown trace format '{}': expected {}{}",
                                       file,
                                       format,
                                       core::alternatives(known),
                                       core::suggestion(format, known)));
}

}  // namespace

std::unique_ptr<TraceReader> open_trace(const std::string& format,
                                        std::unique_ptr<std::istream> text,
                                        const std::string& file,
                                        const TraceOptions& options) {
    return format_named(format, file).make(std::move(text), file, options);
}

std::unique_ptr<TraceReader> open_trace(const std::string& format,
                                        const std::string& file,
                                        const TraceOptions& options) {
    const TraceFormat& entry = format_named(format, file);
    return entry.make(open_text(file), file, options);
}

}  // namespace berth::workloads
