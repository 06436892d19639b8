#pragma once

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "workloads/trace/csv_rows.hpp"
#include "workloads/trace/row_reader.hpp"

namespace berth::workloads {

/// What readers of tables with fixed columns share.
class CsvRowReader : public RowReader {
protected:
    CsvRowReader(TextBlocks text,
                 const TraceOptions& options,
                 core::CsvDialect dialect,
                 std::vector<core::CsvColumn> columns)
        : RowReader(options), rows_(std::move(text), dialect, std::move(columns)) {
        note(rows_.near_misses());
    }
    /// Reads the row at hand, as read() does.
    [[nodiscard]] virtual Row read_row(TraceJob& job) = 0;

    /// The text of a cell that must not be empty. `what` names it in messages.
    [[nodiscard]] std::string_view need_text(std::size_t column, std::string_view what) const;
    /// A date and time; nothing of a cell that is `missing`.
    [[nodiscard]] std::optional<sim::SimTime> date(std::size_t column,
                                                   bool (*missing)(std::string_view),
                                                   std::string_view expected) const;
    /// What a cell says of how the job ended; nothing changes where it is empty.
    void read_status(std::size_t column,
                     std::optional<TraceStatus> (*status_of)(std::string_view),
                     std::string_view fault,
                     std::string_view expected,
                     TraceJob& job) const;
    /// Checks that the job does not end, as `finish` says, before it starts.
    void check_order(const TraceJob& job, std::size_t finish) const;
    /// A job's total in equal shares for its members, rounded up.
    [[nodiscard]] static std::int64_t per_member(std::int64_t total, core::Members members) {
        return (total + members - 1) / members;
    }

    CsvRows rows_;

private:
    Row read(TraceJob& job) final;
};

}  // namespace berth::workloads
