#pragma once

#include <string>
#include <string_view>

namespace berth::experiments {

/// Answers one request to allocate devices or group resources of a node, or to translate requests:
/// a JSON object on one line, as `berth allocate --jsonl` reads it.
///
/// Shape:   docs/reference/allocate.md; `node.allocatable` makes it one for groups, `node.devices`
///          one for devices, `translation` one for a translation alone.
/// Returns: the answer as JSON on one line, without a newline; `{"error": ...}` for a request that
///          is none.
[[nodiscard]] std::string answer_allocate_request(std::string_view request);

}  // namespace berth::experiments
