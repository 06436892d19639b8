#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/support/value.hpp"
#include "workloads/trace/json_elements.hpp"
#include "workloads/trace/json_row.hpp"
#include "workloads/trace/placed_json.hpp"

namespace berth::workloads {

/// The objects of a file, one by one, however they are written.
class TraceObjects {
public:
    virtual ~TraceObjects() = default;
    /// Reads the next object into `row`, which holds until the next call. Returns false after the
    /// last. Errors: RowError, after which reading can go on; CutShort; InputError: an empty file.
    [[nodiscard]] virtual bool next(JsonRow& row) = 0;
    /// Where the object begins, from 1.
    [[nodiscard]] virtual std::uint64_t line() const = 0;
    [[nodiscard]] virtual std::size_t column() const = 0;
    [[nodiscard]] virtual const std::string& file() const = 0;
};

/// Objects in JSON: of a List, of several, or one behind the other.
/// Cost: memory for the largest.
[[nodiscard]] std::unique_ptr<TraceObjects> objects_of_json(TextBlocks text);

/// Objects in documents, which are held as a whole: of Lists too.
[[nodiscard]] std::unique_ptr<TraceObjects> objects_of_documents(
    std::shared_ptr<const std::vector<core::Value>> documents, std::string file);

}  // namespace berth::workloads
