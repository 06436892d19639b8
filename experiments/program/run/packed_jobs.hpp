#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "experiments/program/run/table_row.hpp"
#include "sim/job/records.hpp"
#include "sim/profile/settings.hpp"

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

/// Keeps what tables tell of a job in some thirty bytes, where its rows would take three hundred:
/// that of a single pod which ran once, from its start to its end. What such jobs share, as those
/// of one user who asks for the same, is kept once.
///
/// Cost: O(bytes); memory for a record of each kind of job, of kinds_max at most.
class PackedJobs {
public:
    static constexpr std::size_t kinds_max = 4096;

    explicit PackedJobs(const sim::Settings& settings);

    /// Appends a job to a text. Returns: false, with nothing appended, for a job of which tables
    /// tell more.
    [[nodiscard]] bool pack(const sim::JobRecord& record, std::string& out);
    struct Unpacked {
        const sim::JobRecord& record;  ///< As far as tables tell of it; good until the next call.
        std::uint32_t kind = 0;        ///< Tables say the same of two jobs with one number, but for
                                       ///< their names, times and servers.
    };
    [[nodiscard]] Unpacked unpack(std::string_view packed);

private:
    [[nodiscard]] std::uint32_t kind_of(const sim::JobRecord& record);

    bool tells_more_ = false;  ///< Tables of this run have columns that no packed job fills.
    std::vector<std::unique_ptr<sim::JobRecord>> kinds_;  ///< A job of each.
    std::unordered_map<std::uint64_t, std::uint32_t> kind_by_hash_;
};

}  // namespace berth::experiments
