#include "experiments/program/config/workload/likely_format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <istream>
#include <variant>

#include "core/support/file_kind.hpp"
#include "workloads/trace/trace_reader.hpp"

namespace berth::experiments {

std::string beginning_of(const std::string& file) {
    std::string text(workloads::guessed_bytes_max, '\0');
    const auto in = workloads::open_text(file);
    in->read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(in->gcount()));
    return text;
}

workloads::FileGuess guess_file(const std::string& file) {
    const core::FileKind kind = file == "-" ? core::FileKind::other : core::kind_of(file);
    const bool has_no_beginning = kind == core::FileKind::other || kind == core::FileKind::folder;
    return has_no_beginning ? workloads::FileGuess() : workloads::guess_trace(beginning_of(file));
}

core::InputError with_likely_format(const core::InputError& error, const TraceOrigin& origin) {
    const workloads::FileGuess guess =
        origin.text == nullptr ? guess_file(origin.file) : workloads::guess_trace(*origin.text);
    std::string likely;
    if (const auto* trace = std::get_if<workloads::TraceGuess>(&guess)) {
        likely = trace->format == origin.format
                     ? ""
                     : fmt::format("; the file looks like {}, since {}", trace->format, trace->why);
    } else if (const auto* none = std::get_if<workloads::NoTrace>(&guess)) {
        // Of a table with any names the user said what they mean, and knows better.
        likely = origin.format == "csv" && !none->certain
                     ? ""
                     : fmt::format("; the file is {}: expected {}", none->what, none->expected);
    }
    std::string message = error.what();
    message.insert(std::min(message.find('\n'), message.size()), likely);
    return core::InputError(message);
}

}  // namespace berth::experiments
