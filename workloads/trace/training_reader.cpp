/// training: jobs whose work is a number of steps.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "workloads/trace/csv_rows.hpp"
#include "workloads/trace/row_reader.hpp"
#include "workloads/trace/training_plan.hpp"

namespace berth::workloads {
namespace training {

using sim::TrainingPlan;

enum Column : std::size_t {
    name,
    submit,
    gpus,
    model,
    batch_size,
    steps,
    samples,
    plan,
    step,
    limit,
    user,
    queue,
};

std::vector<core::CsvColumn> columns() {
    return {{"job"},
            {"submit_s"},
            {"gpus"},
            {"model"},
            {"batch_size"},
            {"steps"},
            {"samples", false},
            {"plan", false},
            {"step_s", false},
            {"limit_s", false},
            {"user", false},
            {"queue", false}};
}

constexpr AmountUnit counted{1, sim::steps_max, "a whole number, at most 10^12", true};

class TrainingReader final : public RowReader {
public:
    TrainingReader(TextBlocks text, const TraceOptions& options)
        : RowReader(options, text.beyond_ascii()),
          speeds_(options.speeds),
          rows_(std::move(text), {}, columns()) {
        note(rows_.separator_notes());
        note(rows_.near_misses());
    }

private:
    Row read(TraceJob& job) override {
        if (!rows_.next()) {
            return Row::end;
        }
        begin_row(rows_.line());
        job.name = rows_.text(name);
        if (job.name.empty()) {
            rows_.fail(name, "empty", "the job's name");
        }
        job.user = rows_.text(user);
        job.queue = rows_.text(queue);
        job.submit = rows_.instant(submit);
        if (!job.submit) {
            rows_.fail(submit, "empty", "seconds");
        }
        const std::int64_t pods = need(gpus, gpu_count);
        job.members = pods;
        job.gpus.count = 1;
        job.gpus.milli = core::gpu_whole_milli;
        job.training.emplace(read_plan(pods));
        job.run_time = job.training->time_left();
        if (*job.run_time > time_max) {
            rows_.fail(steps, "too many for the speed", "a job of at most 146 years");
        }
        return Row::job;
    }

    [[nodiscard]] std::int64_t need(std::size_t column, const AmountUnit& unit) const {
        const std::int64_t number = rows_.need_amount(column, unit);
        if (number == 0) {
            rows_.fail(column, "none", unit.expected);
        }
        return number;
    }

    std::shared_ptr<const TrainingPlan> read_plan(std::int64_t pods) {
        auto out = std::make_shared<TrainingPlan>();
        out->model = rows_.text(model);
        out->steps = need(steps, counted);
        out->batch_size = need(batch_size, counted);
        out->gpus = pods;
        out->samples = rows_.amount(samples, counted).value_or(0);
        out->limit = rows_.seconds(limit);
        auto changes = parse_batch_changes(rows_.text(plan));
        if (!changes) {
            rows_.fail(plan,
                       "no list of changes",
                       "BATCH_SIZE@EPOCH with later and later epochs, such as 20@11 40@21");
        }
        out->changes = *std::move(changes);
        find_speeds(*out);
        return out;
    }

    void find_speeds(TrainingPlan& out) const {
        const auto own = rows_.seconds(step);
        if (!own && speeds_ == nullptr) {
            rows_.fail_row(
                "it says no step_s, and there is no table of speeds: expected step_s, or a "
                "document with "
                "speeds: {file: FILE} beside the format");
        }
        const auto fault = complete_plan(out, own, speeds_.get());
        if (!fault) {
            return;
        }
        using Of = TrainingFault::Of;
        const Column column = fault->of == Of::steps       ? steps
                              : fault->of == Of::plan      ? plan
                              : fault->of == Of::step_time ? step
                                                           : model;
        if (fault->expected.empty()) {
            rows_.fail(column, fault->what);
        }
        rows_.fail(column, fault->what, fault->expected);
    }

    std::shared_ptr<const SpeedTable> speeds_;
    CsvRows rows_;
};

}  // namespace training

std::unique_ptr<TraceReader> make_training_reader(TextBlocks text, const TraceOptions& options) {
    return std::make_unique<training::TrainingReader>(std::move(text), options);
}

}  // namespace berth::workloads
