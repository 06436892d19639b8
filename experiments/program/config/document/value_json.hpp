#pragma once

#include "core/support/value.hpp"
#include "experiments/program/support/json_fields.hpp"

namespace berth::experiments {

/// A value of a document as JSON. All its scalars become texts, and an empty value null.
[[nodiscard]] Json json_of(const core::Value& value);

/// The value of a document at a place that a RequestField of its JSON told, such as
/// `profiles[0].plugins`; the innermost one on the way there if the place leads nowhere.
[[nodiscard]] const core::Value& value_at(const core::Value& document, std::string_view place);

}  // namespace berth::experiments
