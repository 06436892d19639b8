/// Reads what Slurm's programs print as JSON: sacct, and squeue and scontrol for the present jobs.
/// Each object is read like the row that sacct --parsable2 prints for the same job.

#include <fmt/format.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "workloads/trace/json_elements.hpp"
#include "workloads/trace/json_row.hpp"
#include "workloads/trace/row_error.hpp"
#include "workloads/trace/row_reader.hpp"
#include "workloads/trace/sacct_cells.hpp"
#include "workloads/unmodelled/slurm_fields.hpp"

namespace berth::workloads::sacct {
namespace {

using Index = JsonRow::Index;

/// Where a column's cell may be. If `inner` is not empty, it is a key below `key`.
struct Place {
    Column column;
    std::string_view key;
    std::string_view inner;
};

/// If a column has several places, the first that has a value counts: that of sacct, then that of
/// squeue and scontrol.
constexpr std::array places{Place{user, "user", ""},
                            Place{user, "association", "user"},
                            Place{user, "user_name", ""},
                            Place{account, "account", ""},
                            Place{partition, "partition", ""},
                            Place{submit, "time", "submission"},
                            Place{submit, "submit_time", ""},
                            Place{eligible, "time", "eligible"},
                            Place{eligible, "eligible_time", ""},
                            Place{start, "time", "start"},
                            Place{start, "start_time", ""},
                            Place{end, "time", "end"},
                            Place{end, "end_time", ""},
                            Place{elapsed_raw, "time", "elapsed"},
                            Place{time_limit_raw, "time", "limit"},
                            Place{time_limit_raw, "time_limit", ""},
                            Place{state, "state", "current"},
                            Place{state, "job_state", ""},
                            Place{alloc_tres, "tres", "allocated"},
                            Place{alloc_tres, "tres_alloc_str", ""},
                            Place{req_tres, "tres", "requested"},
                            Place{req_tres, "tres_req_str", ""},
                            Place{n_nodes, "allocation_nodes", ""},
                            Place{n_nodes, "node_count", ""},
                            Place{req_cpus, "required", "CPUs"},
                            Place{req_cpus, "cpus", ""},
                            Place{priority, "priority", ""},
                            Place{dependency, "dependency", ""},
                            Place{node_list, "nodes", ""},
                            Place{cluster, "cluster", ""}};

/// Where to find the memory that a job requests, in MiB, and the suffix that ReqMem then has.
struct MemoryPlace {
    std::string_view key;
    std::string_view inner;
    std::string_view unit;
};
constexpr std::array memory_places{MemoryPlace{"required", "memory_per_cpu", "Mc"},
                                   MemoryPlace{"required", "memory_per_node", "Mn"},
                                   MemoryPlace{"memory_per_cpu", "", "Mc"},
                                   MemoryPlace{"memory_per_node", "", "Mn"}};

class JsonCells final : public CellTexts {
public:
    explicit JsonCells(std::string file) : row_(std::move(file)) {}

    /// Reads the next job. Errors: RowError.
    void take(const JsonElements& element) {
        row_.parse(element);
        clear();
        at_.fill(JsonText::root());
        for (const Place& place : places) {
            const auto value =
                place.inner.empty() ? row_.find({place.key}) : row_.find({place.key, place.inner});
            if (value && cells_[place.column].empty()) {
                cells_[place.column] = cell_of(*value, place.column);
                at_[place.column] = *value;
            }
        }
        read_memory();
        cells_[job_id] = id();
        leave_out_expectations();
    }

    [[noreturn]] void fail(std::size_t column,
                           std::string_view what,
                           std::string_view expected) const override {
        const std::string& cell = cells_[column];
        row_.fail(at_[column],
                  fmt::format("{}: {}{}{}: expected {}",
                              column_names[column],
                              what,
                              cell.empty() ? "" : " ",
                              cell.empty() ? "" : workloads::quoted(cell),
                              expected));
    }

    /// Adds the job's unmodelled fields.
    void find(FoundFields& found) const {
        slurm_json_fields().find(row_.json(), JsonText::root(), found);
    }

private:
    void read_memory() {
        for (const MemoryPlace& place : memory_places) {
            const auto value =
                place.inner.empty() ? row_.find({place.key}) : row_.find({place.key, place.inner});
            if (value && cells_[req_mem].empty()) {
                const std::string number = cell_of(*value, req_mem);
                cells_[req_mem] =
                    number.empty() || number == "0" ? "" : fmt::format("{}{}", number, place.unit);
                at_[req_mem] = *value;
            }
        }
    }

    [[nodiscard]] std::string cell_of(Index value, Column column) const {
        switch (row_.json().kind(value)) {
            case JsonText::Kind::list:
                return column == state ? first_of(value) : tres_of(value);
            case JsonText::Kind::map:
                return unless_never(number_of(value), column);
            default:
                return unless_never(std::string(row_.text(value)), column);
        }
    }

    /// A time of 0 says that there is none.
    [[nodiscard]] static std::string unless_never(std::string text, Column column) {
        const bool is_time =
            column == submit || column == eligible || column == start || column == end;
        return is_time && text == "0" ? "" : text;
    }

    /// Reads a number that may be infinite or not set, as versions since 23.02 write it.
    [[nodiscard]] std::string number_of(Index value) const {
        const auto says = [&](std::string_view key, std::string_view what) {
            const auto at = row_.find(value, {key});
            return at && row_.text(*at) == what;
        };
        const auto number = row_.find(value, {"number"});
        return says("infinite", "true")          ? "UNLIMITED"
               : says("set", "false") || !number ? ""
                                                 : std::string(row_.text(*number));
    }

    [[nodiscard]] std::string first_of(Index list) const {
        const auto first = row_.json().first(list);
        return first ? std::string(row_.text(*first)) : "";
    }

    /// Writes trackable resources as `cpu=4,mem=4000,gres/gpu:a100=2`.
    [[nodiscard]] std::string tres_of(Index list) const {
        std::string out;
        row_.for_each(list, [&](Index entry) {
            const auto type = row_.find(entry, {"type"});
            const auto name = row_.find(entry, {"name"});
            const auto count = row_.find(entry, {"count"});
            if (type && count) {
                const std::string_view inner = name ? row_.text(*name) : std::string_view();
                out += fmt::format("{}{}{}{}={}",
                                   out.empty() ? "" : ",",
                                   row_.text(*type),
                                   inner.empty() ? "" : "/",
                                   inner,
                                   row_.text(*count));
            }
        });
        return out;
    }

    [[nodiscard]] std::string id() {
        const auto own = row_.find({"job_id"});
        at_[job_id] = own.value_or(JsonText::root());
        const auto number = [&](std::initializer_list<std::string_view> nested,
                                std::string_view plain) {
            const auto of_sacct = row_.find(nested);
            const auto value = of_sacct ? of_sacct : row_.find({plain});
            return value ? cell_of(*value, job_id) : std::string();
        };
        return job_id_of(
            {own ? std::string(row_.text(*own)) : "",
             number({"het", "job_id"}, "het_job_id"),
             number({"het", "job_offset"}, "het_job_offset"),
             number({"array", "job_id"}, "array_job_id"),
             number({"array", "task_id"}, "array_task_id"),
             number({"array", "task"}, "array_task_string"),
             number({"array", "limits", "max", "running", "tasks"}, "array_max_tasks")});
    }

    JsonRow row_;
    std::array<Index, column_count> at_{};
};

class JsonReader final : public RowReader {
public:
    JsonReader(TextBlocks text, const TraceOptions& options)
        : RowReader(options, text.beyond_ascii()),
          cells_(text.file()),
          elements_(std::move(text), "jobs"),
          jobs_(options.arrival) {}

    [[nodiscard]] std::vector<std::string> notes() const override { return jobs_.remarks(); }

private:
    Row read(TraceJob& job) override {
        if (jobs_.next_task(job)) {
            return Row::job;
        }
        if (!elements_.next()) {
            return Row::end;
        }
        begin_row(elements_.line());
        cells_.take(elements_);
        if (!jobs_.read(cells_, job)) {
            return Row::no_job;
        }
        cells_.find(jobs_.found());
        jobs_.keep(job);
        return Row::job;
    }

    JsonCells cells_;
    JsonElements elements_;
    Jobs jobs_;
};

}  // namespace

std::unique_ptr<TraceReader> make_json_reader(TextBlocks text, const TraceOptions& options) {
    return std::make_unique<JsonReader>(std::move(text), options);
}

}  // namespace berth::workloads::sacct
