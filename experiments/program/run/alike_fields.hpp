#pragma once

#include <string>

#include "experiments/program/run/table_row.hpp"

namespace berth::experiments {

/// What the rows of jobs of one kind have in common, see PackedJobs: fields of a row as they are
/// written, with commas between them. TableRow::plain() writes them again.
struct AlikeFields {
    std::string in_front;  ///< Of the times: whose the job is, and what it asks for.
    std::string behind;    ///< The times, and the server if the row has one: to the row's end.
};

/// Times that the row of a job that ran once has and that of its only pod, as they are written.
struct SharedTimes {
    std::string when;      ///< submit_s, start_s and finish_s.
    std::string how_long;  ///< wait_s, jct_s and slowdown.
};

/// The fields that `write` writes into a row that begins with them.
template <class Write>
void assign_fields(std::string& text, Write write) {
    text.clear();
    TableRow row(text);
    write(row);
    row.end();
    text.pop_back();  // the newline
}
template <class Write>
[[nodiscard]] std::string fields_of(Write write) {
    std::string text;
    assign_fields(text, write);
    return text;
}

}  // namespace berth::experiments
