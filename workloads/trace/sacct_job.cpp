#include "workloads/trace/sacct_job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>
#include <variant>

#include "workloads/trace/dependency_text.hpp"
#include "workloads/trace/host_list.hpp"
#include "workloads/trace/numbers.hpp"

namespace berth::workloads::sacct {
namespace {

std::int64_t amount(const Cells& cells, std::size_t column, const AmountUnit& unit) {
    const std::string_view cell = cells.text(column);
    if (cell.empty()) {
        return 0;
    }
    const auto number = parse_amount(cell, unit);
    if (const auto* fault = std::get_if<NumberFault>(&number)) {
        cells.fail(column, describe(*fault), unit.expected);
    }
    return std::get<std::int64_t>(number);
}

/// Returns `known` if it is above 0, otherwise the first number above 0 in one of the columns.
std::int64_t known_or(std::int64_t known,
                      const Cells& cells,
                      std::initializer_list<std::size_t> columns,
                      const AmountUnit& unit) {
    for (const std::size_t column : columns) {
        known = known > 0 ? known : amount(cells, column, unit);
    }
    return known;
}

/// Reads trackable resources, and appends their GPU models to `models`.
SlurmAmounts tres_of(const Cells& cells, std::size_t column, std::vector<std::string>& models) {
    const auto tres = parse_tres(cells.text(column), models);
    if (!tres) {
        cells.fail(column, "no trackable resources", "cpu=4,mem=8G,node=1,gres/gpu=2");
    }
    return *tres;
}

/// Reads the GPUs in generic resources, as older versions of Slurm write them, and appends their
/// models likewise.
std::int64_t gres_of(const Cells& cells, std::size_t column, std::vector<std::string>& models) {
    const auto gpus = parse_gres(cells.text(column), models);
    if (!gpus) {
        cells.fail(column, "no generic resources", "gpu:2 or gpu:a100:2");
    }
    return *gpus;
}

std::int64_t per_node(std::int64_t total, core::Members nodes) {
    return (total + nodes - 1) / nodes;
}

constexpr UnmodelledField account_beside{
    "Account",
    "",
    "an account beside a partition",
    "their queue is the partition; a table without the column Partition has the account as queue"};
constexpr UnmodelledField other_cluster{
    "Cluster",
    "",
    "another cluster than the first",
    "all are jobs of one cluster here; expected the jobs of one, as sacct -M CLUSTER prints them"};
/// One for each bit of OtherTres.
constexpr auto other_tres = std::to_array<UnmodelledField>({
    {"AllocTRES", "", "gres/shard"},
    {"AllocTRES", "", "gres/mps"},
    {"AllocTRES", "", "generic resources that are no GPUs"},
    {"AllocTRES", "", "licenses"},
    {"AllocTRES", "", "burst buffers"},
});

std::optional<sim::SimTime> date(const Cells& cells, std::size_t column) {
    if (is_no_time(cells.text(column))) {
        return std::nullopt;
    }
    const auto time = parse_slurm_date(cells.text(column));
    if (!time) {
        cells.fail(column, "no date", "YYYY-MM-DDTHH:MM:SS, or seconds since 1970");
    }
    return time;
}

std::optional<sim::SimTime> clock(const Cells& cells, std::size_t column) {
    if (is_no_time(cells.text(column))) {
        return std::nullopt;
    }
    const auto time = parse_clock(cells.text(column));
    if (!time) {
        cells.fail(column, "no length of time", "DAYS-HH:MM:SS");
    }
    return time;
}

std::optional<sim::SimTime> elapsed_time(const Cells& cells) {
    const std::string_view raw = cells.text(elapsed_raw);
    if (raw.empty()) {
        return clock(cells, elapsed);
    }
    const auto seconds = parse_seconds(raw);
    if (const auto* fault = std::get_if<NumberFault>(&seconds)) {
        cells.fail(elapsed_raw, describe(*fault), "seconds");
    }
    return std::get<sim::SimTime>(seconds);
}

/// Reads minutes, or a length of time. A job without a limit has words here instead.
std::optional<sim::SimTime> limit(const Cells& cells) {
    const auto in_words = [](std::string_view cell) {
        return cell.empty() || cell == "UNLIMITED" || cell == "Partition_Limit";
    };
    if (!in_words(cells.text(time_limit_raw))) {
        constexpr AmountUnit minutes{60'000'000'000, time_max.count(), "minutes, or UNLIMITED"};
        return sim::SimTime(amount(cells, time_limit_raw, minutes));
    }
    return in_words(cells.text(time_limit)) ? std::nullopt : clock(cells, time_limit);
}

/// Returns: whether the priority is larger than a job can have, which then has the largest one.
bool read_state(const Cells& cells, TraceJob& job) {
    if (!cells.text(state).empty()) {
        const auto status = status_of_slurm_state(cells.text(state));
        if (!status) {
            cells.fail(state, "unknown state", slurm_states);
        }
        job.status = *status;
    }
    constexpr AmountUnit priorities{1, UINT32_MAX, "a priority, at most 2^32 - 1", true};
    const std::int64_t told = amount(cells, priority, priorities);
    job.priority = static_cast<std::int32_t>(std::min<std::int64_t>(told, INT32_MAX));
    return told > INT32_MAX;
}

}  // namespace

std::optional<sim::SimTime> parse_slurm_date(std::string_view text) {
    constexpr std::size_t digits_of_seconds = 9;  // dates from 1973 on
    const bool is_number = text.size() >= digits_of_seconds &&
                           text.find_first_not_of("0123456789") == std::string_view::npos;
    if (!is_number) {
        return parse_date_time(text);
    }
    const auto seconds = parse_seconds(text);
    const auto* time = std::get_if<sim::SimTime>(&seconds);
    return time != nullptr ? std::optional(*time) : std::nullopt;
}

bool is_no_time(std::string_view cell) {
    return cell.empty() || cell == "Unknown" || cell == "None";
}

bool Jobs::read(const Cells& cells, TraceJob& job) {
    const std::string_view id = cells.text(job_id);
    if (id.empty()) {
        cells.fail(job_id, "empty", "the job's number");
    }
    if (id.substr(0, id.find('[')).find('.') != std::string_view::npos) {
        return false;  // a step of a job, and the job has a row of its own
    }
    holds_ = {};
    found_.clear();
    read_name(cells, job);
    job.user = cells.text(user);
    job.queue = cells.text(partition).empty() ? cells.text(account) : cells.text(partition);
    read_amounts(cells, job);
    holds_[large_priority] = read_state(cells, job);
    read_times(cells, job);
    if (const std::string_view after = cells.text(dependency); !after.empty()) {
        DependencyText read = parse_dependencies(after);
        holds_[other_dependency] = !read.whole;
        if (!read.after.empty()) {
            job.set_conditions().after = std::move(read.after);
        }
    }
    if (holds_[still_running] && !cells.text(node_list).empty()) {
        const auto nodes = expand_host_list(cells.text(node_list));
        if (!nodes) {
            cells.fail(node_list, "no list of nodes", "such as n[1-3,7],login");
        }
        job.set_conditions().places = *nodes;
    }
    find_fields(cells);
    return true;
}

void Jobs::find_fields(const Cells& cells) {
    if (!cells.text(partition).empty() && !cells.text(account).empty()) {
        found_.push_back(&account_beside);
    }
    if (const std::string_view told = cells.text(cluster); told != cluster_) {
        cluster_ = told;
    }
    if (!cluster_.empty() && !first_cluster_.empty() && cluster_ != first_cluster_) {
        found_.push_back(&other_cluster);
    }
}

void Jobs::read_name(const Cells& cells, TraceJob& job) {
    job.name = cells.text(job_id);
    holds_[component] = job.name.find('+') != std::string::npos;
    const std::size_t mark = job.name.find('_');
    if (mark == std::string::npos) {
        return;
    }
    job.application = job.name.substr(0, mark);
    const std::string_view tasks = std::string_view(job.name).substr(mark + 1);
    if (tasks.starts_with('[') && !ArrayTasks::parse(tasks)) {
        cells.fail(job_id,
                   "no tasks of an array",
                   "all of them, such as 12_[2-20] or 12_[1,3-9:2%4], as sacct prints them where "
                   "SLURM_BITSTR_LEN is 0");
    }
    holds_[throttled] = tasks.find('%') != std::string_view::npos;
}

void Jobs::read_amounts(const Cells& cells, TraceJob& job) {
    const bool allocated = !cells.text(alloc_tres).empty();
    const SlurmAmounts tres = tres_of(cells, allocated ? alloc_tres : req_tres, job.gpus.models);
    for (std::size_t bit = 0; tres.others != 0 && bit < other_tres.size(); ++bit) {
        if ((tres.others & (1U << bit)) != 0) {
            found_.push_back(&other_tres[bit]);
        }
    }
    std::int64_t nodes = known_or(0, cells, {n_nodes, alloc_nodes}, member_count);
    nodes = known_or(nodes > 0 ? nodes : tres.nodes, cells, {req_nodes}, member_count);
    job.members = std::max<std::int64_t>(nodes, 1);
    const std::int64_t cpus =
        known_or(tres.cpu_milli, cells, {n_cpus, alloc_cpus, req_cpus}, cpu_in_cores);
    std::int64_t memory = tres.memory_bytes;
    if (memory == 0 && !cells.text(req_mem).empty()) {
        const auto requested = parse_requested_memory(cells.text(req_mem), cpus, job.members);
        if (!requested) {
            cells.fail(req_mem, "no memory", "2800Mc, 4Gn or 16G, at most 2^60 bytes");
        }
        memory = *requested;
    }
    std::int64_t gpus = tres.gpus;
    for (const std::size_t column : {alloc_gres, req_gres}) {
        gpus = gpus > 0 ? gpus : gres_of(cells, column, job.gpus.models);
    }
    holds_[uneven_gpus] = gpus % job.members != 0;
    job.cpu_milli = per_node(cpus, job.members);
    job.memory_bytes = per_node(memory, job.members);
    job.gpus.count = per_node(gpus, job.members);
    job.gpus.milli = gpus > 0 ? core::gpu_whole_milli : 0;
    read_models(cells, job);
}

/// The models that a job got do not tell which it requested: GPUs requested without a type come
/// with some type.
void Jobs::read_models(const Cells& cells, TraceJob& job) {
    if (job.gpus.count == 0) {
        job.gpus.models.clear();
    } else if (!cells.text(req_tres).empty() || !cells.text(req_gres).empty()) {
        job.gpus.models.clear();
        (void)tres_of(cells, req_tres, job.gpus.models);
        if (job.gpus.models.empty()) {
            (void)gres_of(cells, req_gres, job.gpus.models);
        }
    } else {
        holds_[allocated_models] = !job.gpus.models.empty();
    }
    holds_[several_models] = job.gpus.models.size() > 1;
}

void Jobs::read_times(const Cells& cells, TraceJob& job) {
    job.submit = date(cells, submit);
    job.start = date(cells, start);
    job.finish = date(cells, end);
    holds_[still_running] = job.status == TraceStatus::running && !job.finish;
    if (job.start && !holds_[still_running]) {
        job.run_time = elapsed_time(cells);
    }
    if (job.start && job.finish && job.run_time) {
        const sim::SimTime told = *job.start + *job.run_time;
        holds_[changed_clock] = std::chrono::abs(told - *job.finish) == std::chrono::hours(1);
        job.finish = holds_[changed_clock] ? told : *job.finish;
    }
    if (job.start && job.finish && *job.finish < *job.start) {
        cells.fail(end, "ends before it starts", "no earlier End");
    }
    note_present(cells, job);
    job.time_limit = limit(cells);
    const auto eligible_at =
        arrival_ == TraceArrival::eligible ? date(cells, eligible) : std::nullopt;
    // A job that started before it was eligible was held or requeued since then.
    holds_[eligible_later] =
        eligible_at && job.submit < eligible_at && (!job.start || *eligible_at <= *job.start);
    job.submit = holds_[eligible_later] ? eligible_at : job.submit;
}

/// Notes a time that had come when the list of a job was written that has not ended.
void Jobs::note_present(const Cells& cells, TraceJob& job) const {
    std::optional<sim::SimTime> seen;
    if (holds_[still_running] || job.status == TraceStatus::pending) {
        seen = job.submit;
    }
    if (holds_[still_running] && job.start) {
        const auto ran = elapsed_time(cells);
        seen = ran ? std::max(seen, std::optional(*job.start + *ran)) : seen;
    }
    if (seen) {
        job.set_conditions().seen = seen;
    }
}

void Jobs::keep(TraceJob& job) {
    clock_.set_to_zero(job);
    for (std::size_t remark = 0; remark < remark_count; ++remark) {
        counts_[remark] += holds_[remark] ? 1 : 0;
    }
    fields_.count(found_);
    if (first_cluster_.empty()) {
        first_cluster_ = cluster_;
    }
    if (job.name.ends_with(']')) {
        tasks_ = *ArrayTasks::parse(std::string_view(job.name).substr(job.application.size() + 1));
        of_task_ = job;
        (void)next_task(job);
    }
}

bool Jobs::next_task(TraceJob& job) {
    const auto task = tasks_.next();
    if (task) {
        job = of_task_;
        job.name = fmt::format("{}_{}", job.application, *task);
    }
    return task.has_value();
}

std::vector<std::string> Jobs::remarks() const {
    struct Words {
        std::string_view jobs;
        std::string_view what;
    };
    /// Indexed by Remark.
    constexpr std::array<Words, remark_count> words{{
        {jobs_eligible_later,
         "they arrive then; with arrival: submit they arrive when they were submitted"},
        {"jobs that ran while the clocks were changed",
         "they ran as long as Elapsed says; SLURM_TIME_FORMAT=%s sacct prints times that no clock "
         "changes"},
        {"components of heterogeneous jobs, such as 12+0",
         "each is a job by itself, while Slurm starts all of a job together"},
        {"jobs with GPUs of several types",
         "they ask for so many of any of these types, not for so many of each"},
        {"jobs of which only the types of GPUs that they got are known",
         "they ask for these types; print ReqTRES too, which says what they asked for"},
        {"arrays that wait, of which so many tasks may run at once ('%')",
         "this limit is not modelled: all tasks may run at once"},
        {jobs_that_still_run, "they run until the run ends"},
        {"jobs with dependencies of other kinds than after, afterany and afterok",
         "these are not modelled, and no job waits for them"},
        {"jobs whose GPUs do not divide evenly among their nodes",
         "on each node they count as many, rounded up"},
        {"jobs with priorities above 2147483647",
         "they have that priority, and the order among them is lost"},
    }};
    std::vector<std::string> out;
    for (std::size_t remark = 0; remark < remark_count; ++remark) {
        if (counts_[remark] > 0) {
            out.push_back(
                fmt::format("{}: {}; {}", words[remark].jobs, counts_[remark], words[remark].what));
        }
    }
    std::ranges::move(fields_.lines("job"), std::back_inserter(out));
    return out;
}

}  // namespace berth::workloads::sacct
