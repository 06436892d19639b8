#include "experiments/program/results/open_pods.hpp"

#include <algorithm>
#include <system_error>

#include "experiments/program/results/stored/csv.hpp"
#include "experiments/program/results/stored/stored_table.hpp"

namespace berth::report {

EarlierRuns read_earlier_runs(const std::filesystem::path& directory) {
    EarlierRuns out;
    const std::filesystem::path file = directory / "evictions.csv";
    if (!has_table(file)) {
        return out;
    }
    CsvReader csv(file);
    const auto [replication, time, pod, ran] = csv.columns("replication", "time_s", "pod", "ran_s");
    while (csv.next()) {
        const double to_s = csv.required_number(time);
        out[{csv.whole(replication, 0), csv.field(pod)}].push_back(
            {to_s - csv.number(ran).value_or(0), to_s});
    }
    return out;
}

void OpenPods::add(const PodTimes& pod, std::span<const EarlierRun> earlier) {
    double& last = last_s_[pod.replication];
    last = std::max({last, pod.submit_s, pod.start_s.value_or(0), pod.finish_s.value_or(0)});
    const bool waits = pod.outcome == "waiting";
    if (!waits && pod.outcome != "running") {
        const bool ended = pod.outcome == "finished";
        dropped_ += ended ? 0 : 1;
        never_started_ += ended || pod.start_s ? 0 : 1;
        return;
    }
    Open open{pod.replication, pod.submit_s, 0, waits};
    for (const EarlierRun& run : earlier) {
        open.ran_s += waits ? run.to_s - run.from_s : 0;
    }
    never_started_ += waits && !pod.start_s && open.ran_s == 0 ? 1 : 0;
    open_.push_back(open);
}

void OpenPods::add_to(std::vector<Samples>& samples, const std::vector<double>& end_s) const {
    for (Samples& one : samples) {
        const bool of_waits = one.name == "wait_s";
        if (!of_waits && one.name != "jct_s") {
            continue;
        }
        for (const Open& open : open_) {
            const auto r = static_cast<std::size_t>(open.replication);
            const double end = r < end_s.size() ? end_s[r] : last_s_.at(open.replication);
            const double been_there = std::max(0.0, end - open.submit_s);
            if (!of_waits) {
                one.going_on.push_back(been_there);
            } else if (open.waits) {
                one.going_on.push_back(std::max(0.0, been_there - open.ran_s));
            }
        }
        one.never = dropped_;
        one.never_started = never_started_;
    }
}

}  // namespace berth::report
