#pragma once

#include <string_view>

#include "core/group_allocator/group_amounts.hpp"
#include "experiments/program/support/json_fields.hpp"

namespace berth::experiments {

/// The maximum number of GPUs that a request or a node may have named one by one.
inline constexpr core::Amount gpu_count_max = 100'000;

/// The map of amounts under `key`; `where` names the object that has it. Names of group resources
/// have no empty part and no blanks or control characters. If it is `optional`, an absent key and
/// null give an empty map.
/// Errors: RequestError.
[[nodiscard]] core::GroupAmounts group_amounts(const RequestValue& object,
                                               const char* key,
                                               std::string_view where,
                                               bool optional = false);

/// A number of GPUs.
/// Errors: RequestError unless it is between 0 and gpu_count_max.
[[nodiscard]] std::int64_t gpu_count(const RequestValue& value, std::string_view where);

/// The number of GPUs that a container requests: `gpuCount`, else the request for `nvidia.com/gpu`,
/// else 0.
/// Errors: RequestError unless it is between 0 and gpu_count_max.
[[nodiscard]] std::int64_t gpu_count_of(const RequestValue& container,
                                        const core::GroupAmounts& requests);

[[nodiscard]] Json to_json(const core::GroupAmounts& amounts);
[[nodiscard]] Json to_json(const core::GroupAmountList& amounts);

}  // namespace berth::experiments
