#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/trace/json_row.hpp"

namespace berth::workloads {

/// An owner of a Kubernetes object, as its metadata.ownerReferences name it.
struct ObjectOwner {
    std::string kind;
    std::string name;
    std::string uid;
    bool controls = false;
};

/// What every Kubernetes object says of itself.
struct ObjectHeader {
    std::string group;    ///< The API group, such as `batch`; empty for Pods and other core
                          ///< objects.
    std::string version;  ///< The API version, such as `v1beta2`.
    std::string kind;
    std::string name;
    std::string name_space;
    std::string uid;
    std::string queue;  ///< The LocalQueue that its label names.
    std::vector<ObjectOwner> owners;

    [[nodiscard]] bool is(std::string_view of_group, std::string_view of_kind) const {
        return group == of_group && kind == of_kind;
    }
    /// The owner that controls the object, or nullptr.
    [[nodiscard]] const ObjectOwner* controller() const;
};

inline constexpr std::string_view kueue_group = "kueue.x-k8s.io";
inline constexpr std::string_view queue_label = "kueue.x-k8s.io/queue-name";

/// Errors: RowError for an object without a kind or a name.
[[nodiscard]] ObjectHeader read_object_header(const JsonRow& row);

/// The value of a label, or of an annotation; "" if there is none.
[[nodiscard]] std::string label_of(const JsonRow& row, std::string_view key);
[[nodiscard]] std::string annotation_of(const JsonRow& row, std::string_view key);

/// A whole number between `min` and `max`. `what` names it in messages. Errors: RowError.
[[nodiscard]] std::int64_t whole_number(const JsonRow& row,
                                        JsonRow::Index value,
                                        std::string_view what,
                                        std::int64_t min,
                                        std::int64_t max);
/// The same, or `otherwise` if there is no value.
[[nodiscard]] std::int64_t whole_number_or(const JsonRow& row,
                                           std::optional<JsonRow::Index> value,
                                           std::string_view what,
                                           std::int64_t min,
                                           std::int64_t max,
                                           std::int64_t otherwise);

}  // namespace berth::workloads
