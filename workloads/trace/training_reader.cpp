/// training: jobs whose work is a number of steps.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "workloads/trace/csv_rows.hpp"
#include "workloads/trace/row_reader.hpp"

namespace berth::workloads {
namespace training {

using sim::BatchChange;
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

/// Reads a whole number at the beginning of a text, and takes it and `end` behind it away.
std::int64_t take_number(std::string_view& text, char end) {
    std::int64_t number = -1;
    const auto [rest, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
    const auto length = static_cast<std::size_t>(rest - text.data());
    const bool ends = length == text.size() ? end == ' ' : text[length] == end;
    if (fault != std::errc() || !ends) {
        return -1;
    }
    text.remove_prefix(std::min(length + 1, text.size()));
    return number;
}

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
        out->changes = read_changes();
        out->limit = rows_.seconds(limit);
        check_changes(*out);
        find_speeds(*out);
        return out;
    }

    [[nodiscard]] std::vector<BatchChange> read_changes() const {
        std::vector<BatchChange> changes;
        for (std::string_view left = rows_.text(plan); !left.empty();) {
            BatchChange change;
            change.batch_size = take_number(left, '@');
            change.epoch = change.batch_size > 0 ? take_number(left, ' ') : -1;
            const std::int64_t before = changes.empty() ? 0 : changes.back().epoch;
            if (change.epoch <= before || change.batch_size > sim::steps_max) {
                rows_.fail(plan,
                           "no list of changes",
                           "BATCH_SIZE@EPOCH with later and later epochs, such as 20@11 40@21");
            }
            changes.push_back(change);
            left.remove_prefix(std::min(left.find_first_not_of(' '), left.size()));
        }
        return changes;
    }

    /// A batch size changes after whole passes, and leaves a number of steps that can be counted.
    void check_changes(const TrainingPlan& made) const {
        if (!made.changes.empty() && made.samples == 0) {
            rows_.fail(plan, "without the length of a pass", "samples beside it");
        }
        __extension__ using Wide = __int128;
        for (const BatchChange& change : made.changes) {
            if (Wide{made.steps} * made.batch_size / change.batch_size > sim::steps_max) {
                rows_.fail(steps, "too many with a smaller batch size", "at most 10^12 with any");
            }
        }
    }

    void find_speeds(TrainingPlan& out) const {
        std::vector<std::int64_t> sizes{out.batch_size};
        for (const BatchChange& change : out.changes) {
            sizes.push_back(change.batch_size);
        }
        if (const auto own = rows_.seconds(step)) {
            out.speeds = own_speed(out, *own);
            return;
        }
        if (speeds_ == nullptr) {
            rows_.fail_row(
                "it says no step_s, and there is no table of speeds: expected step_s, or a "
                "document with "
                "speeds: {file: FILE} beside the format");
        }
        std::string lack;
        out.speeds = speeds_->speeds_of(out.model, out.gpus, sizes, lack);
        out.usual_machine_type = speeds_->machine_types.front();
        if (out.speeds == nullptr) {
            rows_.fail(model, lack);
        }
    }

    /// The speed of a job that says how long a step takes, with every number of GPUs that it has.
    [[nodiscard]] std::shared_ptr<const sim::ModelSpeeds> own_speed(const TrainingPlan& of,
                                                                    sim::SimTime step_time) const {
        constexpr std::int64_t in_a_second = 1'000'000'000 * sim::one_step;
        const std::int64_t speed = step_time > sim::SimTime(0)
                                       ? (in_a_second + step_time.count() / 2) / step_time.count()
                                       : 0;
        if (speed == 0 || !of.changes.empty()) {
            rows_.fail(step,
                       speed == 0 ? "no time of a step" : "one time for several batch sizes",
                       speed == 0 ? "seconds above 0 and at most 2 000 000"
                                  : "a table of speeds, or no plan");
        }
        auto speeds = std::make_shared<sim::ModelSpeeds>();
        speeds->add({of.batch_size, of.gpus, "", true}, speed);
        return speeds;
    }

    std::shared_ptr<const SpeedTable> speeds_;
    CsvRows rows_;
};

}  // namespace training

std::unique_ptr<TraceReader> make_training_reader(TextBlocks text, const TraceOptions& options) {
    return std::make_unique<training::TrainingReader>(std::move(text), options);
}

}  // namespace berth::workloads
