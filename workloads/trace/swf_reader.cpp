/// swf: the Standard Workload Format 2.2 of the Parallel Workloads Archive, and similar files:
/// lines with further fields, such as those of the Grid Workloads Archive, and lines in braces.

#include <fmt/format.h>

#include <array>
#include <memory>

#include "core/support/text.hpp"
#include "workloads/trace/line_reader.hpp"
#include "workloads/trace/numbers.hpp"
#include "workloads/trace/row_error.hpp"
#include "workloads/trace/row_reader.hpp"
#include "workloads/trace/swf_line.hpp"
#include "workloads/unmodelled/unmodelled_fields.hpp"

namespace berth::workloads {
namespace {

/// Indices of the fields that are used, counted from 0.
enum Field : std::size_t {
    job_number = 0,
    submit_time = 1,
    wait_time = 2,
    run_time = 3,
    allocated_processors = 4,
    used_memory = 6,
    requested_processors = 7,
    requested_time = 8,
    requested_memory = 9,
    status = 10,
    user_id = 11,
    queue_number = 14,
    partition_number = 15,
    preceding_job = 16,
    think_time = 17,
};
constexpr std::size_t field_count = SwfLine::field_count;

constexpr std::array<std::string_view, field_count> field_names{"job number",
                                                                "submit time",
                                                                "wait time",
                                                                "run time",
                                                                "processors",
                                                                "CPU time",
                                                                "used memory",
                                                                "requested processors",
                                                                "requested time",
                                                                "requested memory",
                                                                "status",
                                                                "user",
                                                                "group",
                                                                "executable",
                                                                "queue",
                                                                "partition",
                                                                "preceding job",
                                                                "think time"};

constexpr UnmodelledField part_of_job{
    "status", "", "status 2", "each is a part of a job that was checkpointed, and counts as a job"};
constexpr UnmodelledField other_partition{
    "partition", "", "another partition than the first", "all of them may run on all machines"};

class SwfReader final : public RowReader {
public:
    SwfReader(TextBlocks text, const TraceOptions& options)
        : RowReader(options, text.beyond_ascii()), lines_(std::move(text)) {
        if (!lines_.next()) {
            throw core::InputError(fmt::format(
                "{}:1:1: error: empty: expected jobs, 18 fields a line", lines_.file()));
        }
    }

private:
    Row read(TraceJob& job) override {
        if (!first_ && !lines_.next()) {
            return Row::end;
        }
        first_ = false;
        begin_row(lines_.number());
        if (!split()) {
            return Row::no_job;
        }
        job.name = text(job_number);
        read_amounts(job);
        read_times(job);
        if (known(user_id)) {
            core::append(job.user, "user-{}", text(user_id));
        }
        if (known(queue_number)) {
            core::append(job.queue, "queue-{}", text(queue_number));
            if (partition_ != text(partition_number)) {
                note_partition();
            }
        } else if (known(partition_number)) {
            core::append(job.queue, "partition-{}", text(partition_number));
        }
        job.status = read_status();
        // In files of the Grid Workloads Archive, these fields mean something else.
        if (fields_.count() == field_count && known(preceding_job) && text(preceding_job) != "0") {
            job.set_conditions().after = {{std::string(text(preceding_job)),
                                           sim::Dependency::On::end,
                                           seconds(think_time).value_or(sim::SimTime(0))}};
        }
        return Row::job;
    }

    /// Notes a job with a queue whose partition differs from that of the jobs before it.
    void note_partition() {
        if (!known(partition_number)) {
            return;
        }
        if (partition_.empty()) {
            partition_ = text(partition_number);
        } else {
            found().push_back(&other_partition);
        }
    }

    /// Returns false for a comment or an empty line.
    bool split() {
        const std::string_view line = lines_.line();
        if (lines_.too_long()) {
            fail_at(
                0, 1, fmt::format("a line is too long: expected at most {} bytes", row_bytes_max));
        }
        fields_.split(line);
        if (fields_.count() == 0) {
            return false;
        }
        if (fields_.count() < field_count) {
            fail_at(0,
                    line.size(),
                    fmt::format("{} fields: expected {}", fields_.count(), field_count));
        }
        if (fields_.count() > field_count && !told_of_more_) {
            told_of_more_ = true;
            note({fmt::format("line {} has {} fields, of which those behind the {}th are not read",
                              lines_.number(),
                              fields_.count(),
                              field_count)});
        }
        if (fields_.is_braced() && !told_of_braces_) {
            told_of_braces_ = true;
            note({fmt::format("line {} is read without the braces around it", lines_.number())});
        }
        return true;
    }

    void read_amounts(TraceJob& job) {
        job.members = amount(allocated_processors, member_count).value_or(0);
        if (job.members == 0) {
            job.members = amount(requested_processors, member_count).value_or(0);
        }
        if (job.members == 0) {
            fail(requested_processors,
                 "no processors, neither allocated nor requested: expected "
                 "one at least");
        }
        job.cpu_milli = 1000;
        const auto requested = amount(requested_memory, memory_in_kib);
        job.memory_bytes = requested ? *requested : amount(used_memory, memory_in_kib).value_or(0);
    }

    void read_times(TraceJob& job) {
        job.submit = seconds(submit_time, &parse_instant);
        job.run_time = seconds(run_time);
        job.time_limit = seconds(requested_time);
        const auto wait = seconds(wait_time);
        if (job.submit && wait) {
            job.start = *job.submit + *wait;
        }
        if (job.start && *job.start > time_max) {
            fail(wait_time, "too large: expected a wait that ends within 146 years");
        }
        if (job.start && job.run_time) {
            job.finish = *job.start + *job.run_time;
        }
    }

    [[nodiscard]] TraceStatus read_status() {
        const std::string_view code = text(status);
        if (code == "1" || code == "3") {  // 3: the last part of a checkpointed job
            return TraceStatus::completed;
        }
        if (code == "0" || code == "4") {
            return TraceStatus::failed;
        }
        if (code == "5") {
            return TraceStatus::cancelled;
        }
        if (code != "-1" && code != "2") {
            fail(status, fmt::format("unknown status {}: expected -1 or 0 to 5", quoted(code)));
        }
        if (code == "2") {
            found().push_back(&part_of_job);
        }
        return TraceStatus::unknown;
    }

    [[nodiscard]] std::string_view text(std::size_t field) const { return fields_.text(field); }
    [[nodiscard]] bool known(std::size_t field) const { return text(field) != "-1"; }

    [[nodiscard]] std::optional<std::int64_t> amount(std::size_t field,
                                                     const AmountUnit& unit) const {
        if (!known(field)) {
            return std::nullopt;
        }
        const auto number = parse_amount(text(field), unit);
        if (const auto* fault = std::get_if<NumberFault>(&number)) {
            fail_number(field, *fault, unit.expected);
        }
        return std::get<std::int64_t>(number);
    }

    [[nodiscard]] std::optional<sim::SimTime> seconds(
        std::size_t field,
        std::variant<sim::SimTime, NumberFault> (*parse)(std::string_view) = &parse_seconds) const {
        if (!known(field)) {
            return std::nullopt;
        }
        const auto number = parse(text(field));
        if (const auto* fault = std::get_if<NumberFault>(&number)) {
            fail_number(field, *fault, "seconds, or -1");
        }
        return std::get<sim::SimTime>(number);
    }

    [[noreturn]] void fail_number(std::size_t field,
                                  NumberFault fault,
                                  std::string_view expected) const {
        fail(field,
             fmt::format("{}: {} {}: expected {}",
                         field_names[field],
                         describe(fault),
                         quoted(text(field)),
                         expected));
    }
    [[noreturn]] void fail(std::size_t field, std::string_view message) const {
        fail_at(fields_.place(field).begin, fields_.place(field).length, message);
    }
    [[noreturn]] void fail_at(std::size_t begin,
                              std::size_t length,
                              std::string_view message) const {
        throw RowError(
            {lines_.file(), lines_.number(), begin + 1, length, lines_.line(), 1, lines_.cut()},
            message);
    }

    LineReader lines_;
    SwfLine fields_;
    std::string partition_;  ///< Partition of the first job that has one beside its queue.
    bool first_ = true;      ///< Whether the first line is still at hand.
    bool told_of_more_ = false;
    bool told_of_braces_ = false;
};

}  // namespace

std::unique_ptr<TraceReader> make_swf_reader(TextBlocks text, const TraceOptions& options) {
    return std::make_unique<SwfReader>(std::move(text), options);
}

}  // namespace berth::workloads
