/// sacct: Slurm's accounting, as `sacct --parsable2` prints it, and `--parsable` too.
///
/// sacct quotes nothing. What users type (names, comments, command lines) may hold `|` and line
/// ends, so that a row has other fields than its header, or goes on in the next line. Such a row is
/// put together where all that is read of it makes sense in one way only.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/support/text.hpp"
#include "workloads/trace/csv_rows.hpp"
#include "workloads/trace/loose_texts.hpp"
#include "workloads/trace/row_error.hpp"
#include "workloads/trace/row_reader.hpp"
#include "workloads/trace/slurm_amounts.hpp"
#include "workloads/trace/trace_clock.hpp"

namespace berth::workloads {
namespace sacct {

enum Column : std::size_t {
    job_id,
    submit,
    user,
    account,
    partition,
    start,
    end,
    elapsed,
    elapsed_raw,
    time_limit,
    time_limit_raw,
    state,
    alloc_tres,
    req_tres,
    n_nodes,
    n_cpus,
    req_cpus,
    req_mem,
    priority,
};

std::vector<core::CsvColumn> columns() {
    return {{"JobID"},
            {"Submit"},
            {"User", false},
            {"Account", false},
            {"Partition", false},
            {"Start", false},
            {"End", false},
            {"Elapsed", false},
            {"ElapsedRaw", false},
            {"Timelimit", false},
            {"TimelimitRaw", false},
            {"State", false},
            {"AllocTRES", false},
            {"ReqTRES", false},
            {"NNodes", false},
            {"NCPUS", false},
            {"ReqCPUS", false},
            {"ReqMem", false},
            {"Priority", false}};
}

/// Columns in which users write what they like.
constexpr std::array<std::string_view, 12> columns_of_texts{"AdminComment",
                                                            "Comment",
                                                            "Constraints",
                                                            "Container",
                                                            "Extra",
                                                            "JobName",
                                                            "StdErr",
                                                            "StdIn",
                                                            "StdOut",
                                                            "SubmitLine",
                                                            "SystemComment",
                                                            "WorkDir"};

/// No text that a person types goes over so many lines.
constexpr std::size_t lines_max = 200;

/// `12`, `12_3`, `12_[4-6]`, `12+1`, and of a step `12.batch`.
bool is_job_id(std::string_view text) {
    const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
    return digits > 0 && text.find_first_of(" \t\n\"'/=") == std::string_view::npos &&
           (digits == text.size() ||
            std::string_view("_+.[").find(text[digits]) != std::string_view::npos);
}

/// A date as sacct prints it; with SLURM_TIME_FORMAT=%s these are seconds since 1970.
std::optional<sim::SimTime> parse_slurm_date(std::string_view text) {
    constexpr std::size_t digits_of_seconds = 9;  // from 1973 on
    const bool is_number = text.size() >= digits_of_seconds &&
                           text.find_first_not_of("0123456789") == std::string_view::npos;
    if (!is_number) {
        return parse_date_time(text);
    }
    const auto seconds = parse_seconds(text);
    const auto* time = std::get_if<sim::SimTime>(&seconds);
    return time != nullptr ? std::optional(*time) : std::nullopt;
}

class SacctReader final : public RowReader {
public:
    SacctReader(TextBlocks text, const TraceOptions& options)
        : RowReader(options),
          rows_(std::move(text), {'|', false}, [&](const std::vector<std::string>& header) {
              find_texts(header);
              return columns_of(header);
          }) {
        note(rows_.separator_notes());
        note(rows_.near_misses());
    }

private:
    /// A dump may number its jobs by JobIDRaw alone, which differs for jobs of arrays.
    static std::vector<core::CsvColumn> columns_of(const std::vector<std::string>& header) {
        std::vector<core::CsvColumn> wanted = columns();
        if (std::ranges::find(header, "JobID") == header.end() &&
            std::ranges::find(header, "JobIDRaw") != header.end()) {
            wanted[job_id].name = "JobIDRaw";
        }
        return wanted;
    }

    void find_texts(const std::vector<std::string>& header) {
        for (std::size_t at = 0; at < header.size(); ++at) {
            if (std::ranges::find(columns_of_texts, header[at]) != columns_of_texts.end()) {
                texts_.push_back(at);
                text_names_.push_back(header[at]);
            }
        }
    }

    Row read(TraceJob& job) override {
        if (!next_row()) {
            return Row::end;
        }
        begin_row(rows_.line());
        if (texts_.empty() && rows_.field_count() != rows_.header_field_count()) {
            rows_.fail_field_count();
        }
        Row row{};
        if (texts_.empty()) {
            row = read_row(job);
        } else {
            row = read_loose(job);
        }
        if (row == Row::job) {
            clock_.set_to_zero(job);
        }
        return row;
    }

    /// Passes over what is left of a text that goes on behind the last field of its row.
    bool next_row() {
        while (rows_.next_loose()) {
            const bool is_short = rows_.field_count() < rows_.header_field_count();
            if (!rest_may_follow_ || !is_short || !has_id_first() || begins_with_id()) {
                return true;
            }
        }
        return false;
    }

    /// Whether no text comes before the number of the job, so that a line tells by it whether it
    /// begins a row.
    [[nodiscard]] bool has_id_first() const { return rows_.place(job_id) < texts_.front(); }

    [[nodiscard]] bool begins_with_id() const {
        return rows_.field_count() > rows_.place(job_id) && is_job_id(rows_.whole_text(job_id));
    }

    /// Whether the line behind the row belongs to it: it begins no row of its own.
    [[nodiscard]] bool next_line_belongs() {
        const std::size_t id = rows_.place(job_id);
        const bool has_id = rows_.field_count() > id;
        const auto fields = rows_.peek();
        if (fields.empty()) {
            return false;
        }
        if (has_id_first()) {
            return fields.size() <= id || !is_job_id(fields[id].text);
        }
        return fields.size() < rows_.header_field_count() || !has_id;
    }

    /// A row in whose texts there may be separators and line ends.
    Row read_loose(TraceJob& job) {
        const std::size_t expected = rows_.header_field_count();
        const bool ends_with_text = texts_.back() + 1 >= expected;
        std::optional<RowError> first_fault;
        for (std::size_t joined = 0;; ++joined) {
            try {
                const bool whole = rows_.field_count() == expected && joined == 0;
                const Row row = whole ? read_row(job) : read_moved(job);
                rest_may_follow_ = ends_with_text;
                if (!whole) {
                    note_loose();
                }
                return row;
            } catch (const RowError& fault) {
                if (!first_fault) {
                    first_fault = fault;
                }
            }
            if (joined == lines_max || !next_line_belongs()) {
                rest_may_follow_ = true;
                throw RowError(*first_fault);
            }
            rows_.join_peeked();
        }
    }

    /// Reads a row with more fields than its header has. The texts take what is too much; the row
    /// counts if all ways to share it out among them that make sense give the same job.
    Row read_moved(TraceJob& job) {
        const std::size_t expected = rows_.header_field_count();
        if (rows_.field_count() < expected) {
            rows_.fail_field_count();
        }
        std::vector<std::size_t> read_places;
        for (std::size_t column = job_id; column <= priority; ++column) {
            read_places.push_back(rows_.place(column));
        }
        const LooseTexts texts(texts_, std::move(read_places));
        std::optional<std::pair<Row, TraceJob>> found;
        for (std::vector<std::size_t>& places : texts.ways(rows_.field_count() - expected)) {
            auto read = read_by(std::move(places));
            if (!read) {
                continue;
            }
            if (found && *found != *read) {
                found.reset();
                break;
            }
            found = std::move(read);
        }
        if (!found) {
            rows_.fail_field_count(": print the table without " + core::join(text_names_, ", "));
        }
        job = std::move(found->second);
        return found->first;
    }

    /// The row read with the cells of its columns in these places; nothing if it makes no sense so.
    std::optional<std::pair<Row, TraceJob>> read_by(std::vector<std::size_t> places) {
        rows_.set_places(std::move(places));
        const std::string_view submitted = rows_.text(submit);
        if (!is_job_id(rows_.text(job_id)) || !(missing(submit) || parse_slurm_date(submitted))) {
            return std::nullopt;
        }
        std::pair<Row, TraceJob> read;
        try {
            read.first = read_row(read.second);
        } catch (const RowError&) {
            return std::nullopt;
        }
        return read;
    }

    void note_loose() {
        if (!told_of_loose_) {
            told_of_loose_ = true;
            note(
                {fmt::format("line {} has '|' or a line end in a text: of such rows, those are "
                             "read that make sense in one way only",
                             rows_.line())});
        }
    }

    Row read_row(TraceJob& job) {
        const std::string_view id = rows_.text(job_id);
        if (id.empty()) {
            rows_.fail(job_id, "empty", "the job's number");
        }
        if (id.find('.') != std::string_view::npos) {
            return Row::no_job;  // a step of a job that has a row of its own
        }
        job.name = id;
        if (const std::size_t array = id.find('_'); array != std::string_view::npos) {
            job.application = id.substr(0, array);
        }
        job.user = rows_.text(user);
        job.queue = rows_.text(partition).empty() ? rows_.text(account) : rows_.text(partition);
        read_amounts(job);
        read_state(job);
        read_times(job);
        return Row::job;
    }

    void read_amounts(TraceJob& job) {
        const std::size_t tres_column = rows_.text(alloc_tres).empty() ? req_tres : alloc_tres;
        const auto tres = parse_tres(rows_.text(tres_column), job.gpus.models);
        if (!tres) {
            rows_.fail(tres_column, "no trackable resources", "cpu=4,mem=8G,node=1,gres/gpu=2");
        }
        const std::int64_t nodes = rows_.amount(n_nodes, member_count).value_or(0);
        job.members = std::max<std::int64_t>(nodes > 0 ? nodes : tres->nodes, 1);
        std::int64_t cpus = tres->cpu_milli;
        for (const std::size_t column : {n_cpus, req_cpus}) {
            cpus = cpus > 0 ? cpus : rows_.amount(column, cpu_in_cores).value_or(0);
        }
        std::int64_t memory = tres->memory_bytes;
        if (memory == 0 && !rows_.text(req_mem).empty()) {
            const auto requested = parse_requested_memory(rows_.text(req_mem), cpus, job.members);
            if (!requested) {
                rows_.fail(req_mem, "no memory", "2800Mc, 4Gn or 16G, at most 2^60 bytes");
            }
            memory = *requested;
        }
        job.cpu_milli = per_node(cpus, job.members);
        job.memory_bytes = per_node(memory, job.members);
        job.gpus.count = per_node(tres->gpus, job.members);
        job.gpus.milli = job.gpus.count > 0 ? core::gpu_whole_milli : 0;
        if (job.gpus.count == 0) {
            job.gpus.models.clear();
        }
    }

    static std::int64_t per_node(std::int64_t total, core::Members nodes) {
        return (total + nodes - 1) / nodes;
    }

    void read_state(TraceJob& job) {
        if (!rows_.text(state).empty()) {
            const auto status = status_of_slurm_state(rows_.text(state));
            if (!status) {
                rows_.fail(state, "unknown state", slurm_states);
            }
            job.status = *status;
        }
        constexpr AmountUnit priorities{1, UINT32_MAX, "a priority, at most 2^32 - 1", true};
        const std::int64_t value = rows_.amount(priority, priorities).value_or(0);
        job.priority = static_cast<std::int32_t>(std::min<std::int64_t>(value, INT32_MAX));
    }

    void read_times(TraceJob& job) {
        job.submit = date(submit);
        job.start = date(start);
        job.finish = date(end);
        if (job.start && job.finish && *job.finish < *job.start) {
            rows_.fail(end, "ends before it starts: expected no earlier End");
        }
        if (job.start) {
            job.run_time =
                rows_.text(elapsed_raw).empty() ? clock(elapsed) : rows_.seconds(elapsed_raw);
        }
        job.time_limit = limit();
    }

    [[nodiscard]] bool missing(std::size_t column) const {
        const std::string_view cell = rows_.text(column);
        return cell.empty() || cell == "Unknown" || cell == "None";
    }

    [[nodiscard]] std::optional<sim::SimTime> date(std::size_t column) const {
        if (missing(column)) {
            return std::nullopt;
        }
        const auto time = parse_slurm_date(rows_.text(column));
        if (!time) {
            rows_.fail(column, "no date", "YYYY-MM-DDTHH:MM:SS, or seconds since 1970");
        }
        return time;
    }

    [[nodiscard]] std::optional<sim::SimTime> clock(std::size_t column) const {
        if (missing(column)) {
            return std::nullopt;
        }
        const auto time = parse_clock(rows_.text(column));
        if (!time) {
            rows_.fail(column, "no length of time", "DAYS-HH:MM:SS");
        }
        return time;
    }

    /// In minutes, or as a length of time; what has no limit says so in words.
    [[nodiscard]] std::optional<sim::SimTime> limit() const {
        const auto in_words = [](std::string_view cell) {
            return cell.empty() || cell == "UNLIMITED" || cell == "Partition_Limit";
        };
        if (!in_words(rows_.text(time_limit_raw))) {
            constexpr AmountUnit minutes{60'000'000'000, time_max.count(), "minutes, or UNLIMITED"};
            return sim::SimTime(rows_.need_amount(time_limit_raw, minutes));
        }
        return in_words(rows_.text(time_limit)) ? std::nullopt : clock(time_limit);
    }

    std::vector<std::size_t> texts_;  ///< Where columns of texts stand in the header.
    std::vector<std::string> text_names_;
    CsvRows rows_;
    TraceClock clock_;
    bool rest_may_follow_ = false;  ///< The next lines may belong to a text of the row before.
    bool told_of_loose_ = false;
};

}  // namespace sacct

std::unique_ptr<TraceReader> make_sacct_reader(TextBlocks text, const TraceOptions& options) {
    return std::make_unique<sacct::SacctReader>(std::move(text), options);
}

}  // namespace berth::workloads
