#pragma once

#include "experiments/program/support/json_fields.hpp"
#include "experiments/program/support/request_field.hpp"
#include "schedulers/kai/decide/queues.hpp"

namespace berth::experiments {

/// A number from `least` to 10^18; 0 if it is absent. What is below 0 is -1 and means unlimited.
/// Errors: RequestError.
[[nodiscard]] double read_kai_number(const RequestField& field, double least);

/// Milli-CPU, bytes and GPUs of a list of three.
/// Errors: RequestError.
[[nodiscard]] core::kai::Amounts read_kai_amounts(const RequestField& field);

/// The index of the queue that a text names.
/// Errors: RequestError.
[[nodiscard]] core::kai::QueueIndex read_kai_queue_name(const RequestField& field,
                                                        const core::kai::Queues& queues);

/// The queues of a request: their names differ, and their parents are queues, not in a circle.
/// Errors: RequestError.
[[nodiscard]] core::kai::Queues read_kai_queues(const RequestField& list);

[[nodiscard]] Json json_of(const core::kai::Amounts& amounts);

}  // namespace berth::experiments
