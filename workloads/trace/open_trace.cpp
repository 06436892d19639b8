#include <fmt/format.h>

#include <algorithm>
#include <boost/iostreams/concepts.hpp>
#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filtering_stream.hpp>
#include <filesystem>
#include <iostream>
#include <system_error>

#include "core/support/file_kind.hpp"
#include "core/support/file_reader.hpp"
#include "core/support/source.hpp"
#include "core/support/value.hpp"
#include "core/support/zstd_reader.hpp"
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
        return std::make_unique<core::ZstdReader>(open_file(file));
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
