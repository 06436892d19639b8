#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "sim/clock/window.hpp"
#include "sim/cluster/cluster.hpp"
#include "sim/job/members.hpp"
#include "sim/measure/job_times.hpp"
#include "sim/measure/metered.hpp"
#include "sim/meter/meter.hpp"
#include "sim/profile/settings.hpp"

namespace berth::sim {
namespace {

/// Whether a job or pod with this outcome had no end of its own before the run ended.
bool goes_on(Outcome outcome) {
    return outcome == Outcome::waiting || outcome == Outcome::running;
}

/// What became of the pods, how long they waited and took, and when the last of them ended.
class PodMeter final : public Meter {
public:
    explicit PodMeter(const Metered& run)
        : times_(run.times),
          window_(run.settings.window),
          stops_at_limit_(run.settings.limit_grace.has_value()) {}

    void recorded(const JobRecord& record, SimTime now) override {
        if (window_.counts(record.job.submit)) {
            const auto add = [&](const Member& member) { pod(member, record, now); };
            for_each_member(record, std::ref(add));
            jobs_stopped_ += record.stopped_at_limit ? 1 : 0;
        }
    }
    void finish(SimTime now) override { end_ = now; }
    void add_to(std::vector<Metric>& out) const override;

private:
    void pod(const Member& member, const JobRecord& record, SimTime now);
    void add_statistics(std::vector<Metric>& out,
                        const std::string& prefix,
                        TimeStatistic statistic,
                        const std::vector<int>& percentiles) const;
    [[nodiscard]] double pods(Outcome outcome) const {
        return by_outcome_[static_cast<std::size_t>(outcome)];
    }

    const JobTimes& times_;
    Window window_;
    bool stops_at_limit_;
    double jobs_stopped_ = 0;
    std::array<double, outcome_count> by_outcome_{};
    std::optional<double> last_finish_s_;
    std::optional<double> unfinished_s_;  ///< When the run ended, if it left work that was to end.
    SimTime end_{};
};

void PodMeter::pod(const Member& member, const JobRecord& record, SimTime now) {
    by_outcome_[static_cast<std::size_t>(member.outcome)] += 1;
    if (member.finished()) {
        last_finish_s_ = std::max(last_finish_s_.value_or(0), seconds(*member.stint->finish));
    } else if (record.job.duration && goes_on(member.outcome)) {
        unfinished_s_ = seconds(now);
    }
}

void PodMeter::add_statistics(std::vector<Metric>& out,
                              const std::string& prefix,
                              TimeStatistic statistic,
                              const std::vector<int>& percentiles) const {
    times_.add_statistics(out, prefix, JobTimes::By::pod, statistic, percentiles);
}

void PodMeter::add_to(std::vector<Metric>& out) const {
    const double submitted = std::accumulate(by_outcome_.begin(), by_outcome_.end(), 0.0);
    out.push_back({"pods_submitted", submitted});
    for (std::size_t outcome = 0; outcome < outcome_count; ++outcome) {
        out.push_back({fmt::format("pods_{}", to_string(static_cast<Outcome>(outcome))),
                       by_outcome_[outcome]});
    }
    const double unsuccessful =
        pods(Outcome::dropped) + pods(Outcome::rejected) + pods(Outcome::waiting);
    if (stops_at_limit_) {
        out.push_back({"jobs_stopped_at_limit", jobs_stopped_});
    }
    out.push_back({"success_rate", ratio(submitted - unsuccessful, submitted)});
    add_statistics(out, "wait_s", TimeStatistic::wait, {500, 950, 990, 1000});
    add_statistics(out, "jct_s", TimeStatistic::completion, {500, 950});
    add_statistics(out, "slowdown", TimeStatistic::slowdown, {});
    add_statistics(out, "bounded_slowdown", TimeStatistic::bounded_slowdown, {});
    out.push_back({"makespan_s", last_finish_s_, unfinished_s_});
    out.push_back({"end_s", seconds(end_)});
    out.push_back({"measured_s", seconds(window_.measured(end_))});
}

}  // namespace

std::unique_ptr<Meter> make_pods_meter(const Metered& run) {
    return std::make_unique<PodMeter>(run);
}

}  // namespace berth::sim
