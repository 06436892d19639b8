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

/// The fields that the rows of all jobs of one kind share (see PackedJobs), as they are written,
/// with commas between them. TableRow::plain() copies them.
struct AlikeFields {
    std::string in_front;  ///< The fields before the times: the job's owner, and what it asks for.
    /// The fields behind the times, and the server if the row has one, up to the row's end.
    std::string behind;
};

/// The times, as they are written, that the row of a job that ran once shares with that of its only
/// pod.
struct SharedTimes {
    std::string when;      ///< submit_s, start_s and finish_s.
    std::string how_long;  ///< wait_s, jct_s and slowdown.
};

/// The fields that `write` writes at the beginning of a row.
template <class Write>
void assign_fields(std::string& text, Write write) {
    text.clear();
    TableRow row(text);
    write(row);
    row.end();
    text.pop_back();  // removes the newline
}
template <class Write>
[[nodiscard]] std::string fields_of(Write write) {
    std::string text;
    assign_fields(text, write);
    return text;
}

/// Keeps the data of a job for tables in some thirty bytes, where its rows would take three
/// hundred. This works for a single pod that ran once, from its start to its end. Data that such
/// jobs share, as do jobs of one user with the same demand, is kept once.
///
/// Cost: O(bytes); memory for a record of each kind of jobs, of which there are at most kinds_max.
class PackedJobs {
public:
    static constexpr std::size_t kinds_max = 4096;

    explicit PackedJobs(const sim::Settings& settings);

    /// Appends a packed job to a text. Returns false, and appends nothing, for a job that needs
    /// more than the packed data.
    [[nodiscard]] bool pack(const sim::JobRecord& record, std::string& out);
    struct Unpacked {
        const sim::JobRecord& record;  ///< The fields that tables need; valid until the next call.
        /// The kind of the job. Two jobs of one kind have the same fields in tables, apart from
        /// their names, times and servers.
        std::uint32_t kind = 0;
    };
    [[nodiscard]] Unpacked unpack(std::string_view packed);

private:
    [[nodiscard]] std::uint32_t kind_of(const sim::JobRecord& record);

    /// Tables of this run have columns that the packed data cannot fill.
    bool tells_more_ = false;
    std::vector<std::unique_ptr<sim::JobRecord>> kinds_;  ///< A job of each kind.
    std::unordered_map<std::uint64_t, std::uint32_t> kind_by_hash_;
};

}  // namespace berth::experiments
