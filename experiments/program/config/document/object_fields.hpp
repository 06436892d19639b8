#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/support/source.hpp"
#include "core/support/value.hpp"
#include "workloads/unmodelled/unmodelled_fields.hpp"

namespace berth::experiments {

/// Counts the fields of objects of a kind that a run does not model, and warns about them once.
class ObjectFields {
public:
    /// `table` must outlive this.
    explicit ObjectFields(const workloads::FieldTable& table) : table_(&table) {}

    /// `count`: how many objects have the same fields.
    void look_at(const core::Value& object, std::uint64_t count = 1);
    /// Warns at the first object that has any of these fields. `object`: what to call one object.
    void warn(std::string_view object, core::Diagnostics& diagnostics) const;

private:
    const workloads::FieldTable* table_;
    workloads::FieldCounts counts_;
    workloads::FoundFields found_;  ///< The fields of the last object.
    std::optional<core::SourceSpan> first_;
};

}  // namespace berth::experiments
