#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/support/source.hpp"
#include "core/support/value.hpp"

namespace berth::workloads {

/// A value of a document, written as JSON for readers that know only JSON. It remembers where in
/// the document each of its values stands. All scalars become strings.
class PlacedJson {
public:
    explicit PlacedJson(const core::Value& value);

    [[nodiscard]] const std::string& text() const { return text_; }
    /// Where the document has the value that begins at this byte of the text.
    [[nodiscard]] const core::SourceSpan& place_of(std::size_t begin) const;

private:
    void add(const core::Value& value);
    void add_string(const std::string& text);

    std::string text_;
    std::vector<std::pair<std::size_t, core::SourceSpan>> places_;  ///< Sorted by offset in the
                                                                    ///< text.
};

}  // namespace berth::workloads
