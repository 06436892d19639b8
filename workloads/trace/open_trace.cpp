#include <fmt/format.h>

#include <algorithm>
#include <boost/iostreams/concepts.hpp>
#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filtering_stream.hpp>
#include <filesystem>
#include <istream>
#include <system_error>

#include "core/support/file_kind.hpp"
#include "core/support/file_reader.hpp"
#include "core/support/packed_stream.hpp"
#include "core/support/source.hpp"
#include "core/support/value.hpp"
#include "core/support/zstd_reader.hpp"
#include "workloads/trace/trace_reader.hpp"

namespace berth::workloads {
namespace {

namespace io = boost::iostreams;

constexpr std::streamsize block_bytes = std::streamsize{1} << 16U;

/// How many bytes gzip unpacks at a time: at most this much of the text before a fault is lost.
constexpr std::streamsize unpacked_bytes = std::streamsize{1} << 12U;

using Stream = std::shared_ptr<std::istream>;

/// The bytes of a file.
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

std::unique_ptr<std::istream> open_file(const std::string& file) {
    const auto refuse = [&](std::string_view why) {
        throw core::InputError(
            fmt::format("{}: error: cannot be read ({}): expected a readable file", file, why));
    };
    const bool is_input = file == "-";
    if (core::is_folder(is_input ? "/dev/stdin" : file)) {
        refuse("is a directory");
    }
    if (is_input) {
        auto in = std::make_unique<std::istream>(core::standard_input().rdbuf());
        in->exceptions(std::ios::badbit);
        return in;
    }
    try {
        return std::make_unique<core::FileReader>(file);
    } catch (const core::ReadError& error) {
        refuse(error.code().message());
    }
    return nullptr;  // not reached
}

/// What an error of Boost's gzip means; its own message is the same for all of them.
std::string why_not_gzip(const std::exception& fault) {
    const auto* gzip = dynamic_cast<const io::gzip_error*>(&fault);
    switch (gzip == nullptr ? 0 : gzip->error()) {
        case io::gzip::bad_header:
        case io::gzip::bad_method:
            return "it does not begin as gzip does, or goes on behind its end";
        case io::gzip::bad_crc:
        case io::gzip::bad_length:
        case io::gzip::bad_footer:
            return "its text is not the one that was compressed";
        case io::gzip::zlib_error:
            return gzip->zlib_error_code() == io::zlib::buf_error ? "its end is missing"
                                                                  : "its data is damaged";
        default:
            return fault.what();
    }
}

}  // namespace

std::unique_ptr<std::istream> open_text(const std::string& file) {
    constexpr const char* expected = "a whole compressed file";
    if (file.ends_with(".gz")) {
        auto filtered = std::make_unique<io::filtering_istream>();
        filtered->push(io::gzip_decompressor(io::gzip::default_window_bits, block_bytes),
                       unpacked_bytes);
        filtered->push(FileSource(open_file(file)), block_bytes);
        return std::make_unique<core::PackedStream>(
            std::move(filtered), file, expected, &why_not_gzip);
    }
    if (file.ends_with(".zst")) {
        return std::make_unique<core::PackedStream>(
            std::make_unique<core::ZstdReader>(open_file(file)), file, expected);
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
