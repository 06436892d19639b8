#include "schedulers/rounds/documents/read_schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <utility>

#include "core/support/csv_record.hpp"

namespace berth::experiments {
namespace {

using core::CsvField;
using Fields = std::span<const CsvField>;

constexpr std::int64_t rounds_max = 1'000'000'000;

std::optional<std::int64_t> whole_number(std::string_view text) {
    std::int64_t number = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool is_whole = fault == std::errc() && end == text.data() + text.size();
    return is_whole && number >= 0 ? std::optional(number) : std::nullopt;
}

/// Rounds that are taken, which do not overlap.
class TakenRounds {
public:
    /// Takes these rounds. Returns the first of them that was taken already, if one was.
    std::optional<std::int64_t> take(std::int64_t first, std::int64_t last) {
        const auto after = last_of_.upper_bound(last);
        if (after != last_of_.begin() && std::prev(after)->second >= first) {
            const auto earliest = last_of_.upper_bound(first);
            const bool holds_first =
                earliest != last_of_.begin() && std::prev(earliest)->second >= first;
            return holds_first ? first : earliest->first;
        }
        last_of_.emplace(first, last);
        return std::nullopt;
    }

private:
    std::map<std::int64_t, std::int64_t> last_of_;  ///< By the first round of each row.
};

class ScheduleReader {
public:
    ScheduleReader(const core::Value& csv, std::int64_t gpus, core::Diagnostics& diagnostics)
        : csv_(csv),
          gpus_(gpus),
          diagnostics_(diagnostics),
          own_file_(csv.span.source && csv.span.source->text == csv.text),
          taken_(static_cast<std::size_t>(gpus)) {}

    std::vector<sim::RecordedLease> read() {
        std::istringstream lines(csv_.text);
        std::string line;
        for (line_ = 1; std::getline(lines, line); ++line_) {
            if (line.ends_with('\r')) {
                line.pop_back();
            }
            if (line.empty()) {
                continue;
            }
            if (const auto fault = record_.split(line)) {
                diagnostics_.error(span_of({{}, fault->at, 1}), std::string(fault->message));
            } else if (has_header_) {
                read_row(record_.fields());
            } else if (!read_header(record_.fields())) {
                return {};
            }
        }
        if (!has_header_) {
            diagnostics_.error(csv_.span, "no header: expected job,first_round,last_round,workers");
        }
        return std::move(rows_);
    }

private:
    enum Column : std::uint8_t { job, first_round, last_round, workers, columns };

    /// The place of a field, if the lines are those of a file itself and not those of a text in
    /// another.
    [[nodiscard]] core::SourceSpan span_of(const CsvField& field) const {
        core::SourceSpan at = csv_.span;
        if (own_file_) {
            at.line = line_;
            at.column = 1 + static_cast<int>(field.begin);
            at.length = static_cast<int>(std::max<std::size_t>(field.length, 1));
        }
        return at;
    }
    [[nodiscard]] const CsvField& field(Column column) const {
        return record_.fields()[places_.at[column]];
    }
    void fail(Column column, const std::string& message) {
        diagnostics_.error(span_of(field(column)), message);
    }

    bool read_header(Fields header) {
        static constexpr std::array<core::CsvColumn, columns> wanted{
            {{"job"}, {"first_round"}, {"last_round"}, {"workers"}}};
        places_ = core::find_columns(header, wanted);
        if (places_.wrong_at) {
            diagnostics_.error(span_of(header[*places_.wrong_at]), places_.message);
            return false;
        }
        columns_of_header_ = header.size();
        has_header_ = true;
        return true;
    }

    void read_row(Fields cells) {
        if (cells.size() != columns_of_header_) {
            diagnostics_.error(
                span_of(cells.back()),
                fmt::format(
                    "{} fields: expected {} as in the header", cells.size(), columns_of_header_));
            return;
        }
        const std::optional<std::int64_t> first = whole_number(field(first_round).text);
        const std::optional<std::int64_t> last = whole_number(field(last_round).text);
        if (!first || *first > rounds_max) {
            fail(first_round,
                 fmt::format("'{}': expected a round, from 0 on", field(first_round).text));
        } else if (!last || *last < *first || *last > rounds_max) {
            fail(last_round,
                 fmt::format("'{}': expected a round from {} on", field(last_round).text, *first));
        } else if (const auto read = read_workers()) {
            add({std::string(field(job).text), *first, *last, *read, span_of(field(job))});
        }
    }

    [[nodiscard]] std::optional<core::rounds::Workers> read_workers() {
        core::rounds::Workers read;
        std::string_view rest = field(workers).text;
        while (!rest.empty()) {
            const std::string_view one = rest.substr(0, rest.find(' '));
            rest.remove_prefix(std::min(one.size() + 1, rest.size()));
            const std::optional<std::int64_t> number = whole_number(one);
            if (!number || *number >= gpus_) {
                fail(workers,
                     fmt::format("worker '{}': expected numbers from 0 to {}, with a space between "
                                 "them: the cluster has {} GPUs",
                                 one,
                                 gpus_ - 1,
                                 gpus_));
                return std::nullopt;
            }
            read.push_back(static_cast<std::uint32_t>(*number));
        }
        std::ranges::sort(read);
        if (read.empty() || std::ranges::adjacent_find(read) != read.end()) {
            fail(workers,
                 read.empty() ? "no worker: expected numbers of GPUs"
                              : "a worker twice: expected each once");
            return std::nullopt;
        }
        return read;
    }

    void add(sim::RecordedLease row) {
        if (const auto round = of_job_[row.job].take(row.first_round, row.last_round)) {
            fail(job,
                 fmt::format("job '{}' in round {} again: expected one row for a job and a round",
                             row.job,
                             *round));
            return;
        }
        for (const std::uint32_t worker : row.workers) {
            if (const auto round = taken_[worker].take(row.first_round, row.last_round)) {
                fail(workers,
                     fmt::format("worker {} is used twice in round {}: expected it for one job",
                                 worker,
                                 *round));
                return;
            }
        }
        rows_.push_back(std::move(row));
    }

    const core::Value& csv_;
    std::int64_t gpus_;
    core::Diagnostics& diagnostics_;
    bool own_file_;
    int line_ = 0;
    core::CsvRecord record_;
    core::CsvColumns places_;
    bool has_header_ = false;
    std::size_t columns_of_header_ = 0;
    std::vector<TakenRounds> taken_;  ///< By the number of the GPU.
    std::unordered_map<std::string, TakenRounds> of_job_;
    std::vector<sim::RecordedLease> rows_;
};

}  // namespace

std::vector<sim::RecordedLease> read_schedule(const core::Value& csv,
                                              std::int64_t gpus,
                                              core::Diagnostics& diagnostics) {
    return ScheduleReader(csv, gpus, diagnostics).read();
}

}  // namespace berth::experiments
