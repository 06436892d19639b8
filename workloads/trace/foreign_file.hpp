#pragma once

#include <optional>
#include <string_view>

namespace berth::workloads {

/// A kind of file that berth does not read, and what to give it instead: the end of a message.
struct ForeignFile {
    std::string_view what;      ///< `a Parquet file`
    std::string_view expected;  ///< What follows `expected`.
};

/// What a file is that berth cannot read, by its first bytes. Nothing for what may be a text.
[[nodiscard]] std::optional<ForeignFile> foreign_file(std::string_view beginning);

}  // namespace berth::workloads
