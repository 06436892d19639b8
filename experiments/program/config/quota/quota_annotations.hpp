#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "core/support/value.hpp"
#include "core/tree/resources.hpp"

namespace berth::experiments {

/// How the values of annotations may be written.
enum class AnnotationSyntax : std::uint8_t {
    strict,   ///< A text that is JSON, as a cluster's webhook wants it.
    lenient,  ///< The same, or as people write it, in quotes or not: `{cpu:4, memory: 8Gi}`.
};

/// Why an annotation cannot be read: `'{cpu:4}': expected JSON such as {"cpu": "4"}`.
struct AnnotationFault {
    std::string text;
};

/// Quantities by resource: `{"cpu": "4", "memory": "8Gi"}`.
[[nodiscard]] std::variant<core::Quantities, AnnotationFault> parse_quantities(
    const core::Value& annotation, AnnotationSyntax syntax);

/// A list of names: `["team-a", "team-b"]`.
[[nodiscard]] std::variant<std::vector<std::string>, AnnotationFault> parse_names(
    const core::Value& annotation, AnnotationSyntax syntax);

}  // namespace berth::experiments
