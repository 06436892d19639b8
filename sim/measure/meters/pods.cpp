#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <vector>

#include "sim/clock/window.hpp"
#include "sim/cluster/cluster.hpp"
#include "sim/job/members.hpp"
#include "sim/measure/job_metrics.hpp"
#include "sim/meter/censored_sample.hpp"
#include "sim/meter/member_wait.hpp"
#include "sim/meter/meter.hpp"
#include "sim/profile/settings.hpp"

namespace berth::sim {
namespace {

/// Whether the end of the run is what keeps it from an end of its own.
bool goes_on(Outcome outcome) {
    return outcome == Outcome::waiting || outcome == Outcome::running;
}

/// What became of the pods, how long they waited and took, and when the last of them ended.
class PodMeter final : public Meter {
public:
    explicit PodMeter(Window window) : window_(window) {}

    void recorded(const JobRecord& record, SimTime now) override {
        if (window_.counts(record.job.submit)) {
            const auto add = [&](const Member& member) { pod(member, record, now); };
            for_each_member(record, std::ref(add));
        }
    }
    void finish(SimTime now) override { end_ = now; }
    void add_to(std::vector<Metric>& out) const override;

private:
    void pod(const Member& member, const JobRecord& record, SimTime now);
    void completion(const Member& member, const JobRecord& record, SimTime now);
    [[nodiscard]] double pods(Outcome outcome) const {
        return by_outcome_[static_cast<std::size_t>(outcome)];
    }

    Window window_;
    std::array<double, outcome_count> by_outcome_{};
    CensoredSample waits_;
    CensoredSample completions_;
    CensoredSample slowdowns_;
    CensoredSample bounded_slowdowns_;
    std::optional<double> last_finish_s_;
    std::optional<double> unfinished_s_;  ///< When the run ended with work that was to end.
    SimTime end_{};
};

void PodMeter::pod(const Member& member, const JobRecord& record, SimTime now) {
    by_outcome_[static_cast<std::size_t>(member.outcome)] += 1;
    add_wait(waits_, member, now);
    if (member.finished() || record.job.duration) {
        completion(member, record, now);
    }
}

void PodMeter::completion(const Member& member, const JobRecord& record, SimTime now) {
    const double run = seconds(member.finished() ? member.run_time(record) : *record.job.duration);
    const double completion =
        seconds(member.finished() ? member.completion() : now - member.past.submit);
    const auto add = [&](CensoredSample& sample, double value) {
        if (member.finished()) {
            sample.ended(value);
        } else if (goes_on(member.outcome)) {
            sample.going_on(value);
        } else {
            sample.never();
        }
        sample.never_started(member.ever_started() ? 0 : 1);
    };
    add(completions_, completion);
    add(bounded_slowdowns_,
        std::max(completion / std::max(run, bounded_slowdown_threshold_s), 1.0));
    if (run > 0) {
        add(slowdowns_, member.finished() ? completion / run : std::max(completion / run, 1.0));
    }
    if (member.finished()) {
        last_finish_s_ = std::max(last_finish_s_.value_or(0), seconds(*member.stint->finish));
    } else if (goes_on(member.outcome)) {
        unfinished_s_ = seconds(now);
    }
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
    out.push_back({"success_rate", ratio(submitted - unsuccessful, submitted)});
    out.push_back(waits_.mean("wait_s_mean"));
    waits_.add_percentiles(out, "wait_s", {500, 950, 990, 1000});
    out.push_back(completions_.mean("jct_s_mean"));
    completions_.add_percentiles(out, "jct_s", {500, 950});
    out.push_back(slowdowns_.mean("slowdown_mean"));
    out.push_back(bounded_slowdowns_.mean("bounded_slowdown_mean"));
    out.push_back({"makespan_s", last_finish_s_, unfinished_s_});
    out.push_back({"end_s", seconds(end_)});
    out.push_back({"measured_s", seconds(window_.measured(end_))});
}

}  // namespace

std::unique_ptr<Meter> make_pods_meter(Cluster& /*cluster*/, const Settings& settings) {
    return std::make_unique<PodMeter>(settings.window);
}

}  // namespace berth::sim
