#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "core/support/value.hpp"
#include "core/tree/resources.hpp"

namespace berth::experiments {

/// How values of annotations may be written.
enum class AnnotationSyntax : std::uint8_t {
    strict,   ///< As a JSON text, as required by a cluster's webhook.
    lenient,  ///< Also in the looser form that users write, with or without quotes:
              ///< `{cpu:4, memory: 8Gi}`.
};

/// Why an annotation cannot be read: `'{cpu:4}': expected JSON such as {"cpu": "4"}`.
struct AnnotationFault {
    std::string text;
};

/// Parses quantities by resource: `{"cpu": "4", "memory": "8Gi"}`.
[[nodiscard]] std::variant<core::Quantities, AnnotationFault> parse_quantities(
    const core::Value& annotation, AnnotationSyntax syntax);

/// Parses a list of names: `["team-a", "team-b"]`.
[[nodiscard]] std::variant<std::vector<std::string>, AnnotationFault> parse_names(
    const core::Value& annotation, AnnotationSyntax syntax);

}  // namespace berth::experiments
