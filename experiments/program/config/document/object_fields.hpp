#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/support/source.hpp"
#include "core/support/value.hpp"
#include "workloads/unmodelled/unmodelled_fields.hpp"

namespace berth::experiments {

/// Counts what objects of a kind say by which no run goes, and says it once.
class ObjectFields {
public:
    /// `table`: outlives it.
    explicit ObjectFields(const workloads::FieldTable& table) : table_(&table) {}

    /// `count`: how many objects say the same.
    void look_at(const core::Value& object, std::uint64_t count = 1);
    /// Warns at the first object that says any of it. `object`: what one is called.
    void warn(std::string_view object, core::Diagnostics& diagnostics) const;

private:
    const workloads::FieldTable* table_;
    workloads::FieldCounts counts_;
    workloads::FoundFields found_;  ///< The fields of the last object.
    std::optional<core::SourceSpan> first_;
};

}  // namespace berth::experiments
