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

/// The fields that `write` writes into a row that begins with them.
template <class Write>
[[nodiscard]] std::string fields_of(Write write) {
    std::string text;
    TableRow row(text);
    write(row);
    row.end();
    text.pop_back();  // the newline
    return text;
}

}  // namespace berth::experiments
