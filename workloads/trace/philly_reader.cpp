/// philly: the list `cluster_job_log` of Microsoft's Philly traces.

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "workloads/trace/json_elements.hpp"
#include "workloads/trace/json_row.hpp"
#include "workloads/trace/row_error.hpp"
#include "workloads/trace/row_reader.hpp"
#include "workloads/trace/trace_clock.hpp"

namespace berth::workloads {
namespace {

class PhillyReader final : public RowReader {
public:
    PhillyReader(TextBlocks text, const TraceOptions& options)
        : RowReader(options, text.beyond_ascii()), row_(text.file()), elements_(std::move(text)) {}

private:
    using Index = JsonRow::Index;

    Row read(TraceJob& job) override {
        const bool first = std::exchange(first_, false);
        if (!elements_.next()) {
            if (first && elements_.line() == 1 && elements_.column() == 1) {
                throw core::InputError(fmt::format(
                    "{}:1:1: error: empty: expected a JSON list of jobs", elements_.file()));
            }
            return Row::end;
        }
        begin_row(elements_.line());
        row_.parse(elements_);
        job.name = row_.text({"jobid"});
        if (job.name.empty()) {
            row_.fail(JsonText::root(), "a job without a jobid: expected its name");
        }
        job.user = row_.text({"user"});
        job.queue = row_.text({"vc"});
        job.status = read_status();
        job.submit = date_at({"submitted_time"});
        read_attempts(job);
        clock_.set_to_zero(job);
        return Row::job;
    }

    [[nodiscard]] TraceStatus read_status() const {
        const auto value = row_.find({"status"});
        const std::string_view status = value ? row_.text(*value) : std::string_view();
        if (status == "Pass") {
            return TraceStatus::completed;
        }
        if (status == "Killed") {
            return TraceStatus::cancelled;
        }
        if (status == "Failed") {
            return TraceStatus::failed;
        }
        if (!status.empty()) {
            row_.fail(
                *value,
                fmt::format("unknown status {}: expected Pass, Killed or Failed", quoted(status)));
        }
        return TraceStatus::unknown;
    }

    [[nodiscard]] std::optional<sim::SimTime> date_of(std::optional<Index> value) const {
        if (!value || row_.text(*value) == "None" || row_.text(*value).empty()) {
            return std::nullopt;
        }
        return row_.date(*value);
    }
    [[nodiscard]] std::optional<sim::SimTime> date_at(
        std::initializer_list<std::string_view> keys) const {
        return date_of(row_.find(keys));
    }

    /// Reads the time from the start of the first attempt to the end of the last. The run time is
    /// the sum over all attempts.
    void read_attempts(TraceJob& job) {
        const auto attempts = row_.find({"attempts"});
        const JsonText& json = row_.json();
        if (!attempts) {
            return;
        }
        if (json.kind(*attempts) != JsonText::Kind::list) {
            row_.fail(*attempts, "no list: expected the attempts");
        }
        std::optional<Index> last;
        for (auto at = json.first(*attempts); at; at = json.next(*attempts, *at)) {
            const auto start = date_of(json.find(*at, "start_time"));
            const auto end = date_of(json.find(*at, "end_time"));
            if (start && end && *end < *start) {
                row_.fail(*at, "ends before it starts: expected no earlier end_time");
            }
            job.start = job.start ? job.start : start;
            job.finish = end;
            if (start && end) {
                job.run_time = job.run_time.value_or(sim::SimTime(0)) + (*end - *start);
                if (*job.run_time > time_max) {
                    row_.fail(*at, "too large: expected attempts of 146 years in all");
                }
            }
            last = at;
        }
        if (job.start && job.finish && *job.finish < *job.start) {
            row_.fail(*attempts, "ends before it starts: expected attempts in their order");
        }
        if (last) {
            read_gpus(*last, job);
        }
    }

    /// Reads the GPUs that the last attempt had, because the log does not say what was requested.
    void read_gpus(Index attempt, TraceJob& job) {
        const JsonText& json = row_.json();
        const auto detail = json.find(attempt, "detail");
        if (!detail) {
            return;
        }
        std::int64_t servers = 0;
        std::int64_t total = 0;
        std::int64_t first_count = 0;
        bool equal = true;
        for (auto at = json.first(*detail); at; at = json.next(*detail, *at)) {
            const auto gpus = json.find(*at, "gpus");
            std::int64_t count = 0;
            for (auto gpu = gpus ? json.first(*gpus) : std::nullopt; gpu;
                 gpu = json.next(*gpus, *gpu)) {
                ++count;
            }
            if (count > 0) {
                first_count = servers == 0 ? count : first_count;
                equal = equal && count == first_count;
                ++servers;
                total += count;
            }
        }
        if (total > 0) {
            job.members = equal ? servers : total;
            job.gpus = {core::gpu_whole_milli, equal ? first_count : 1, {}};
        }
    }

    JsonRow row_;
    JsonElements elements_;
    TraceClock clock_;
    bool first_ = true;
};

}  // namespace

std::unique_ptr<TraceReader> make_philly_reader(TextBlocks text, const TraceOptions& options) {
    return std::make_unique<PhillyReader>(std::move(text), options);
}

}  // namespace berth::workloads
