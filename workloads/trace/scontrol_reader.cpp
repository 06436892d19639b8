/// scontrol: the present jobs of Slurm as `scontrol show job` prints them, on one line each with
/// `-o` or on several without. The format sacct reads the output of `--json`.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "core/support/text.hpp"
#include "workloads/trace/line_reader.hpp"
#include "workloads/trace/row_error.hpp"
#include "workloads/trace/row_reader.hpp"
#include "workloads/trace/sacct_cells.hpp"
#include "workloads/unmodelled/slurm_fields.hpp"

namespace berth::workloads {
namespace scontrol {

constexpr std::string_view first_key = "JobId=";

/// The column that a key is read as.
struct Key {
    std::string_view key;
    sacct::Column column;
};
constexpr std::array keys{Key{"UserId", sacct::user},
                          Key{"Account", sacct::account},
                          Key{"Partition", sacct::partition},
                          Key{"Priority", sacct::priority},
                          Key{"JobState", sacct::state},
                          Key{"Dependency", sacct::dependency},
                          Key{"TimeLimit", sacct::time_limit},
                          Key{"SubmitTime", sacct::submit},
                          Key{"EligibleTime", sacct::eligible},
                          Key{"StartTime", sacct::start},
                          Key{"EndTime", sacct::end},
                          Key{"RunTime", sacct::elapsed},
                          Key{"NodeList", sacct::node_list},
                          Key{"NumNodes", sacct::n_nodes},
                          Key{"NumCPUs", sacct::n_cpus},
                          Key{"TRES", sacct::alloc_tres},  // up to version 22.05
                          Key{"AllocTRES", sacct::alloc_tres},
                          Key{"ReqTRES", sacct::req_tres},
                          Key{"TresPerJob", sacct::req_gres},
                          Key{"TresPerNode", sacct::req_gres},
                          Key{"TresPerSocket", sacct::req_gres},
                          Key{"TresPerTask", sacct::req_gres}};

/// The keys of one job, each with its value. Values are not quoted, and users choose some of them:
/// a key is recognised by the blank before it and the `=` behind it.
class Record {
public:
    /// Replaces the record by the next one.
    void take(std::string_view record) { record_ = record; }

    /// The value of a key; empty if the key is missing or its value is `(null)`.
    [[nodiscard]] std::string_view value(std::string_view key) const {
        const std::size_t at = find(key, 0);
        if (at == record_.npos) {
            return {};
        }
        const std::string_view rest = record_.substr(at + key.size() + 1);
        const std::string_view found = rest.substr(0, rest.find_first_of(" \t"));
        return found == "(null)" || found == "N/A" ? std::string_view() : found;
    }
    /// Whether a key occurs twice, as a name chosen by a user can cause: it is then unknown which
    /// one is meant.
    [[nodiscard]] bool has_twice(std::string_view key) const {
        const std::size_t at = find(key, 0);
        return at != record_.npos && find(key, at + 1) != record_.npos;
    }

    /// Adds the fields that the record has, in one pass over it for all of them.
    void find(std::span<const UnmodelledField> fields, FoundFields& found) const {
        for (std::string_view rest = record_; !rest.empty();) {
            const std::string_view word = rest.substr(0, rest.find_first_of(" \t"));
            rest.remove_prefix(std::min(word.size() + 1, rest.size()));
            const std::size_t equals = std::min(word.find('='), word.size());
            const auto field =
                std::ranges::find(fields, word.substr(0, equals), &UnmodelledField::path);
            const std::string_view says = word.substr(std::min(equals + 1, word.size()));
            if (field != fields.end() && says != "(null)" && says != "N/A" && field->counts(says) &&
                std::ranges::find(found, &*field) == found.end()) {
                found.push_back(&*field);
            }
        }
    }

private:
    [[nodiscard]] std::size_t find(std::string_view key, std::size_t from) const {
        for (std::size_t at = record_.find(key, from); at != record_.npos;
             at = record_.find(key, at + 1)) {
            const std::size_t end = at + key.size();
            const bool begins = at == 0 || record_[at - 1] == ' ' || record_[at - 1] == '\t';
            if (begins && end < record_.size() && record_[end] == '=') {
                return at;
            }
        }
        return record_.npos;
    }

    std::string_view record_;
};

class RecordCells final : public sacct::CellTexts {
public:
    RecordCells(const LineReader& lines, const std::string& record, const std::uint64_t& line)
        : lines_(lines), record_(record), line_(line) {}

    void take() {
        clear();
        fields_.take(record_);
        fill();
        leave_out_expectations();
    }

    /// Adds the job's unmodelled fields.
    void find(FoundFields& found) const { fields_.find(scontrol_fields(), found); }

    [[noreturn]] void fail(std::size_t column,
                           std::string_view what,
                           std::string_view expected) const override {
        fail_row(fmt::format("{}: {} {}: expected {}",
                             sacct::column_names[column],
                             what,
                             workloads::quoted(cells_[column]),
                             expected));
    }

private:
    void fill() {
        for (const Key& key : keys) {
            if (fields_.has_twice(key.key)) {
                fail_row(
                    fmt::format("{}= stands there twice, as a name that a user chose may have "
                                "it: expected what scontrol show job --json prints",
                                key.key));
            }
            std::string& cell = cells_[key.column];
            if (cell.empty()) {
                cell = fields_.value(key.key);
            }
        }
        cells_[sacct::user] = cells_[sacct::user].substr(0, cells_[sacct::user].find('('));
        std::string& nodes = cells_[sacct::n_nodes];  // `3-5` for a waiting job
        nodes = nodes.substr(0, nodes.find('-'));
        if (cells_[sacct::req_gres].empty()) {
            cells_[sacct::req_gres] = "none";  // what it got does not tell what it requested
        }
        if (cells_[sacct::priority].empty()) {
            cells_[sacct::priority] = "1";  // 0 would say that the job is held
        }
        sacct::JobNumbers numbers;
        numbers.own = fields_.value("JobId");
        numbers.of_het = fields_.value("HetJobId");
        numbers.component = fields_.value("HetJobOffset");
        numbers.of_array = fields_.value("ArrayJobId");
        const std::string tasks(fields_.value("ArrayTaskId"));
        const bool is_one =
            std::ranges::all_of(tasks, [](unsigned char c) { return std::isdigit(c); });
        (is_one ? numbers.task : numbers.tasks) = tasks;
        numbers.most = fields_.value("ArrayTaskThrottle");
        cells_[sacct::job_id] = sacct::job_id_of(numbers);
    }

    [[noreturn]] void fail_row(std::string_view message) const {
        throw RowError({lines_.file(), line_, 1, record_.size(), record_, 1, false}, message);
    }

    const LineReader& lines_;
    const std::string& record_;
    const std::uint64_t& line_;
    Record fields_;
};

class Reader final : public RowReader {
public:
    Reader(TextBlocks text, const TraceOptions& options)
        : RowReader(options, text.beyond_ascii()),
          lines_(std::move(text)),
          cells_(lines_, record_, record_line_),
          jobs_(options.arrival) {
        more_ = lines_.next();
        if (!more_ || !lines_.line().starts_with(first_key)) {
            throw core::InputError(fmt::format(
                "{}:1:1: error: no job: expected what scontrol show job prints", lines_.file()));
        }
    }

    [[nodiscard]] std::vector<std::string> notes() const override { return jobs_.remarks(); }

private:
    Row read(TraceJob& job) override {
        if (jobs_.next_task(job)) {
            return Row::job;
        }
        if (!next_record()) {
            return Row::end;
        }
        begin_row(record_line_);
        cells_.take();
        if (!jobs_.read(cells_, job)) {
            return Row::no_job;
        }
        cells_.find(jobs_.found());
        jobs_.keep(job);
        return Row::job;
    }

    /// Reads a record: a line that begins with the job's number, and the lines below that do not.
    bool next_record() {
        if (!more_) {
            return false;
        }
        record_ = lines_.line();
        record_line_ = lines_.number();
        while ((more_ = lines_.next()) && !lines_.line().starts_with(first_key)) {
            if (record_.size() < lines_.line_bytes_max()) {
                record_ += ' ';
                record_ += lines_.line();
            }
        }
        return true;
    }

    LineReader lines_;
    bool more_ = false;  ///< Whether a line is at hand that no record has taken.
    std::string record_;
    std::uint64_t record_line_ = 0;
    RecordCells cells_;
    sacct::Jobs jobs_;
};

}  // namespace scontrol

std::unique_ptr<TraceReader> make_scontrol_reader(TextBlocks text, const TraceOptions& options) {
    return std::make_unique<scontrol::Reader>(std::move(text), options);
}

}  // namespace berth::workloads
