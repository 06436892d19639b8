#pragma once

#include <optional>
#include <string_view>

namespace berth::workloads {

/// The format of a trace by how it begins: its columns, or its first lines. Nothing when it looks
/// like none.
[[nodiscard]] std::optional<std::string_view> guess_trace_format(std::string_view beginning);

}  // namespace berth::workloads
