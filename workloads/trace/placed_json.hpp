#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/support/source.hpp"
#include "core/support/value.hpp"

namespace berth::workloads {

/// A value of a document, written as JSON for those who read JSON alone; it remembers where in the
/// document each of its values stands. Scalars are strings, whatever they were.
class PlacedJson {
public:
    explicit PlacedJson(const core::Value& value);

    [[nodiscard]] const std::string& text() const { return text_; }
    /// Where the value stands in the document that begins at this byte of the text.
    [[nodiscard]] const core::SourceSpan& place_of(std::size_t begin) const;

private:
    void add(const core::Value& value);
    void add_string(const std::string& text);

    std::string text_;
    std::vector<std::pair<std::size_t, core::SourceSpan>> places_;  ///< In the order of the text.
};

}  // namespace berth::workloads
