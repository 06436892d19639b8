#include "experiments/program/support/document_size.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <system_error>

#include "core/support/source.hpp"

namespace berth::experiments {
namespace {

/// A document is held in memory, many times as large as its text; a trace is not.
constexpr std::size_t text_max = std::size_t{1} << 30U;

/// Packed so tightly, a text has hardly anything in it but its length.
constexpr std::size_t packing_max = 200;
constexpr std::size_t packed_text_min = std::size_t{1} << 26U;

}  // namespace

void check_document_size(const std::string& file, std::size_t size) {
    if (size <= packed_text_min) {
        return;
    }
    std::error_code unknown;
    const std::uintmax_t stored = std::filesystem::file_size(file, unknown);
    const bool packed = !unknown && stored < size / packing_max;
    if (size > text_max || packed) {
        throw core::InputError(
            fmt::format("{}: error: has more than {} MiB{}: expected a document of at "
                        "most 1 GiB; a trace may be of any size",
                        file,
                        size >> 20U,
                        packed ? fmt::format(", {} times what is stored",
                                             size / std::max<std::uintmax_t>(stored, 1))
                               : ""));
    }
}

}  // namespace berth::experiments
