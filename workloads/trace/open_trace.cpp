#include <fmt/format.h>

#include <algorithm>
#include <boost/iostreams/concepts.hpp>
#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filter/zstd.hpp>
#include <boost/iostreams/filtering_stream.hpp>
#include <boost/iostreams/stream.hpp>
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

using Stream = std::shared_ptr<std::istream>;

/// A file's bytes, and what the frames of a zstd file say about them.
class FileSource : public io::source {
public:
    FileSource(Stream in, std::shared_ptr<ZstdFrames> frames)
        : in_(std::move(in)), frames_(std::move(frames)) {}
    std::streamsize read(char* to, std::streamsize size) {
        const std::streamsize got = in_->rdbuf()->sgetn(to, size);
        if (got > 0 && frames_) {
            frames_->feed({to, static_cast<std::size_t>(got)});
        }
        return got > 0 ? got : -1;
    }

private:
    Stream in_;
    std::shared_ptr<ZstdFrames> frames_;
};

/// The text of a zstd file. Its decompressor takes any end for the end of the text, so it is asked
/// of the frames whether they are whole; gzip's sees for itself.
class ZstdText : public io::source {
public:
    ZstdText(Stream text, std::shared_ptr<ZstdFrames> frames)
        : text_(std::move(text)), frames_(std::move(frames)) {}
    std::streamsize read(char* to, std::streamsize size) {
        const std::streamsize got = text_->rdbuf()->sgetn(to, size);
        if (got <= 0 && !frames_->whole()) {
            throw std::runtime_error("it ends within a frame");
        }
        return got > 0 ? got : -1;
    }

private:
    Stream text_;
    std::shared_ptr<ZstdFrames> frames_;
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
        filtered->push(FileSource(open_file(file), nullptr), block_bytes);
        return filtered;
    }
    const auto frames = std::make_shared<ZstdFrames>();
    filtered->push(io::zstd_decompressor(block_bytes), block_bytes);
    filtered->push(FileSource(open_file(file), frames), block_bytes);
    return std::make_unique<io::stream<ZstdText>>(ZstdText(std::move(filtered), frames),
                                                  block_bytes);
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
