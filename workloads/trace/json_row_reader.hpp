#pragma once

#include <string_view>
#include <utility>

#include "workloads/trace/json_elements.hpp"
#include "workloads/trace/json_row.hpp"
#include "workloads/trace/row_reader.hpp"
#include "workloads/trace/trace_clock.hpp"

namespace berth::workloads {

/// What readers of one large JSON text share, whose elements are jobs.
class JsonRowReader : public RowReader {
protected:
    using Index = JsonRow::Index;

    /// `expected` names what should be in an empty text.
    JsonRowReader(TextBlocks text, const TraceOptions& options, std::string_view expected)
        : RowReader(options), row_(text.file()), elements_(std::move(text)), expected_(expected) {}
    /// Reads the element at hand, as read() does.
    [[nodiscard]] virtual Row read_row(TraceJob& job) = 0;

    JsonRow row_;
    TraceClock clock_;

private:
    Row read(TraceJob& job) final;

    JsonElements elements_;
    std::string_view expected_;
    bool first_ = true;
};

}  // namespace berth::workloads
