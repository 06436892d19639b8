#include <fmt/format.h>

#include <algorithm>
#include <boost/iostreams/concepts.hpp>
#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filter/zstd.hpp>
#include <boost/iostreams/filtering_stream.hpp>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <stdexcept>

#include "core/support/source.hpp"
#include "core/support/value.hpp"
#include "workloads/trace/trace_reader.hpp"
#include "workloads/trace/zstd_frames.hpp"

namespace berth::workloads {
namespace {

namespace io = boost::iostreams;

constexpr std::streamsize block_bytes = std::streamsize{1} << 16U;

/// A file's bytes on their way to the zstd decompressor, which does not see that some are missing.
class ZstdSource : public io::source {
public:
    explicit ZstdSource(std::shared_ptr<std::istream> in) : in_(std::move(in)) {}
    std::streamsize read(char* to, std::streamsize size) {
        const std::streamsize got = in_->rdbuf()->sgetn(to, size);
        if (got > 0) {
            frames_.feed({to, static_cast<std::size_t>(got)});
            return got;
        }
        if (!frames_.whole()) {
            throw std::runtime_error("it ends within a frame");
        }
        return -1;
    }

private:
    std::shared_ptr<std::istream> in_;
    ZstdFrames frames_;
};

/// The same for gzip, whose decompressor sees it, and says so by an exception.
class PlainSource : public io::source {
public:
    explicit PlainSource(std::shared_ptr<std::istream> in) : in_(std::move(in)) {}
    std::streamsize read(char* to, std::streamsize size) {
        const std::streamsize got = in_->rdbuf()->sgetn(to, size);
        return got > 0 ? got : -1;
    }

private:
    std::shared_ptr<std::istream> in_;
};

std::unique_ptr<std::istream> open_file(const std::string& file) {
    if (file == "-") {
        return std::make_unique<std::istream>(std::cin.rdbuf());
    }
    auto in = std::make_unique<std::ifstream>(file, std::ios::binary);
    std::error_code ignored;
    if (!*in || std::filesystem::is_directory(file, ignored)) {
        const char* why = *in ? "is a directory" : std::strerror(errno);
        throw core::InputError(
            fmt::format("{}: error: cannot be read ({}): expected a readable file", file, why));
    }
    return in;
}

}  // namespace

std::unique_ptr<std::istream> open_text(const std::string& file) {
    const bool gzip = file.ends_with(".gz");
    if (!gzip && !file.ends_with(".zst")) {
        return open_file(file);
    }
    auto filtered = std::make_unique<io::filtering_istream>();
    if (gzip) {
        filtered->push(io::gzip_decompressor(io::gzip::default_window_bits, block_bytes),
                       block_bytes);
        filtered->push(PlainSource(open_file(file)), block_bytes);
    } else {
        filtered->push(io::zstd_decompressor(block_bytes), block_bytes);
        filtered->push(ZstdSource(open_file(file)), block_bytes);
    }
    return filtered;
}

std::unique_ptr<TraceReader> open_trace(const std::string& format,
                                        const std::string& file,
                                        const TraceOptions& options) {
    std::vector<std::string> known;
    for (const TraceFormat& entry : trace_formats()) {
        if (entry.name == format) {
            return entry.make(open_text(file), file, options);
        }
        known.emplace_back(entry.name);
    }
    throw core::InputError(fmt::format("{}: error: unknown trace format '{}': expected {}{}",
                                       file,
                                       format,
                                       core::alternatives(known),
                                       core::suggestion(format, known)));
}

}  // namespace berth::workloads
