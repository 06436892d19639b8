#pragma once

#include <string>
#include <string_view>

namespace berth::experiments {

/// Answers one request to allocate devices or group resources of a node, or to translate requests.
/// A request is a JSON object on one line, as `berth allocate --jsonl` reads it.
///
/// Shape:   docs/reference/allocate.md. `node.allocatable` makes it a request for groups,
///          `node.devices` one for devices, and `translation` one for a translation only.
/// Returns: the answer as JSON on one line, without a newline; `{"error": ...}` for an invalid
///          request.
[[nodiscard]] std::string answer_allocate_request(std::string_view request);

}  // namespace berth::experiments
