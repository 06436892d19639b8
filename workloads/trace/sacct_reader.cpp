/// sacct: Slurm's accounting, as `sacct --parsable2` prints it, and `--parsable` too.

#include <algorithm>

#include "workloads/trace/csv_rows.hpp"
#include "workloads/trace/row_reader.hpp"
#include "workloads/trace/slurm_amounts.hpp"
#include "workloads/trace/slurm_state.hpp"
#include "workloads/trace/trace_clock.hpp"

namespace berth::workloads {
namespace {

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

class SacctReader final : public RowReader {
public:
    SacctReader(TextBlocks text, const TraceOptions& options)
        : RowReader(options), rows_(std::move(text), {'|', false}, columns()) {
        note(rows_.near_misses());
    }

private:
    Row read(TraceJob& job) override {
        if (!rows_.next()) {
            return Row::end;
        }
        begin_row(rows_.line());
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
        clock_.set_to_zero(job);
    }

    [[nodiscard]] bool missing(std::size_t column) const {
        const std::string_view cell = rows_.text(column);
        return cell.empty() || cell == "Unknown" || cell == "None";
    }

    [[nodiscard]] std::optional<sim::SimTime> date(std::size_t column) const {
        if (missing(column)) {
            return std::nullopt;
        }
        const auto time = parse_date_time(rows_.text(column));
        if (!time) {
            rows_.fail(column, "no date", "YYYY-MM-DDTHH:MM:SS");
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

    CsvRows rows_;
    TraceClock clock_;
};

}  // namespace

std::unique_ptr<TraceReader> make_sacct_reader(TextBlocks text, const TraceOptions& options) {
    return std::make_unique<SacctReader>(std::move(text), options);
}

}  // namespace berth::workloads
