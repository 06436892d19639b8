#include "experiments/program/calibrate/causes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "experiments/program/calibrate/agreement.hpp"
#include "experiments/program/support/interval_text.hpp"

namespace berth::experiments {
namespace {

constexpr sim::SimTime much_earlier = std::chrono::minutes(10);
constexpr sim::SimTime long_stretch = std::chrono::hours(1);

double share_of(std::size_t part, std::size_t all) {
    return all == 0 ? 0 : static_cast<double>(part) / static_cast<double>(all);
}

class Causes {
public:
    Causes(const core::Topology& tree,
           const PairedJobs& pairs,
           const UseOverTime& recorded,
           const UseOverTime& simulated)
        : tree_(tree),
          jobs_(pairs.jobs),
          recorded_(recorded),
          simulated_(simulated),
          capacity_(whole_capacity(tree)) {}

    std::vector<CalibrationCause> find() {
        missing_capacity();
        room_but_waits();
        other_order();
        standstill();
        return std::move(causes_);
    }

private:
    bool has_room(const PairedJob& job, sim::SimTime at, const UseOverTime& use) const {
        for (std::size_t resource = 0; resource < capacity_.size(); ++resource) {
            const core::Amount asked = job.demand[resource] * job.size;
            if (asked > 0 && use.at(at, resource) + asked > capacity_[resource]) {
                return false;
            }
        }
        return true;
    }

    void missing_capacity() {
        for (std::size_t resource = 0; resource < capacity_.size(); ++resource) {
            const core::Amount most = recorded_.most(resource);
            if (most > capacity_[resource]) {
                causes_.push_back(
                    {"missing-capacity",
                     fmt::format("the recording has up to {} of {} in use at once, and the cluster "
                                 "of the experiment has {}: its topology lacks servers",
                                 tree_.resources().format(resource, most),
                                 tree_.resources().name(resource),
                                 tree_.resources().format(resource, capacity_[resource])),
                     1});
            }
        }
    }

    /// Such as `; 87 % of them are of user u3, who has 31 % of all jobs`; empty if no label stands
    /// out.
    std::string concentration(const std::vector<const PairedJob*>& some) const {
        std::string out;
        double best = 0;
        for (const CalibrationTrait trait : {CalibrationTrait::user, CalibrationTrait::partition}) {
            const auto index = static_cast<std::size_t>(trait);
            std::map<std::string_view, std::size_t> all;
            std::map<std::string_view, std::size_t> here;
            for (const PairedJob& job : jobs_) {
                ++all[job.labels[index]];
            }
            for (const PairedJob* job : some) {
                ++here[job->labels[index]];
            }
            for (const auto& [label, count] : here) {
                const double share = share_of(count, some.size());
                const double usual = share_of(all[label], jobs_.size());
                if (!label.empty() && share >= 0.5 && share - usual > std::max(best, 0.2)) {
                    best = share - usual;
                    out = fmt::format("; {} of them are of {} {}, which has {} of all jobs",
                                      whole_percent(share),
                                      calibration_traits[index],
                                      label,
                                      whole_percent(usual));
                }
            }
        }
        return out;
    }

    void room_but_waits() {
        std::vector<const PairedJob*> with_room;
        std::size_t earlier = 0;
        for (const PairedJob& job : jobs_) {
            if (job.start && job.late() < -much_earlier) {
                ++earlier;
                if (has_room(job, *job.start, recorded_)) {
                    with_room.push_back(&job);
                }
            }
        }
        if (with_room.size() * 100 < jobs_.size() || with_room.empty()) {
            return;
        }
        causes_.push_back(
            {"room-but-waits",
             fmt::format(
                 "{} of the {} jobs that the recording starts over 10 min later than the "
                 "run had room there when the run starts them{}: limits of users, accounts, "
                 "QOS or partitions, reservations, holds, or servers that were out",
                 with_room.size(),
                 earlier,
                 concentration(with_room)),
             with_room.size()});
    }

    /// How many jobs start after a job of the same partition and shape that was submitted later.
    struct Overtaken {
        std::uint64_t count = 0;
        std::uint64_t all = 0;

        [[nodiscard]] double share() const { return share_of(count, all); }
    };
    template <class StartOf>
    Overtaken overtaken(StartOf start_of) const {
        using Shape = std::tuple<std::string_view, core::Members, std::vector<core::Amount>>;
        std::map<Shape, std::vector<const PairedJob*>> alike;
        for (const PairedJob& job : jobs_) {
            if (start_of(job)) {
                alike[{job.labels[static_cast<std::size_t>(CalibrationTrait::partition)],
                       job.size,
                       {job.demand.begin(), job.demand.end()}}]
                    .push_back(&job);
            }
        }
        Overtaken out;
        for (auto& [shape, jobs] : alike) {
            out.all += jobs.size();
            std::ranges::stable_sort(jobs, std::ranges::greater(), &PairedJob::recorded_submit);
            sim::SimTime earliest = sim::never;  // The earliest start of those submitted later.
            for (auto first = jobs.begin(); first != jobs.end();) {
                auto last = first;
                sim::SimTime of_these = sim::never;
                for (; last != jobs.end() && (*last)->recorded_submit == (*first)->recorded_submit;
                     ++last) {
                    out.count += *start_of(**last) > earliest ? 1 : 0;
                    of_these = std::min(of_these, *start_of(**last));
                }
                earliest = std::min(earliest, of_these);
                first = last;
            }
        }
        return out;
    }

    void other_order() {
        const Overtaken recorded =
            overtaken([](const PairedJob& job) { return std::optional(job.recorded_start); });
        const Overtaken simulated = overtaken([](const PairedJob& job) { return job.start; });
        constexpr double notable = 0.05;
        if (recorded.share() - simulated.share() > notable) {
            causes_.push_back(
                {"other-order",
                 fmt::format(
                     "{} of the jobs start after a job of the same partition and shape that "
                     "was submitted later, in the run {}: priorities, fair share or QOS",
                     whole_percent(recorded.share()),
                     whole_percent(simulated.share())),
                 recorded.count});
        } else if (simulated.share() - recorded.share() > notable) {
            causes_.push_back(
                {"other-order",
                 fmt::format(
                     "in the run {} of the jobs start after a job of the same partition and "
                     "shape that was submitted later, in the recording {}: the cluster "
                     "keeps more to the order of arrival than the experiment's queueSort",
                     whole_percent(simulated.share()),
                     whole_percent(recorded.share())),
                 simulated.count});
        }
    }

    /// Stretches of time without a start.
    struct Standstill {
        std::uint64_t stretches = 0;
        sim::SimTime in_all{};
    };

    /// Stretches in which no job starts although one waits long that has room, in the middle of its
    /// wait.
    template <class StartOf>
    Standstill standstill_of(StartOf start_of, const UseOverTime& use) const {
        std::vector<sim::SimTime> starts;
        for (const PairedJob& job : jobs_) {
            if (start_of(job)) {
                starts.push_back(*start_of(job));
            }
        }
        std::ranges::sort(starts);
        Standstill out;
        for (std::size_t i = 1; i < starts.size(); ++i) {
            const sim::SimTime from = starts[i - 1];
            const sim::SimTime to = starts[i];
            const auto is_kept_out = [&](const PairedJob& job) {
                const sim::SimTime since = std::max(job.submit, from);
                return to - since > long_stretch && start_of(job) && *start_of(job) >= to &&
                       has_room(job, since + (to - since) / 2, use);
            };
            if (to - from > long_stretch && std::ranges::any_of(jobs_, is_kept_out)) {
                ++out.stretches;
                out.in_all += to - from;
            }
        }
        return out;
    }

    void standstill() {
        const Standstill recorded = standstill_of(
            [](const PairedJob& job) { return std::optional(job.recorded_start); }, recorded_);
        const Standstill simulated =
            standstill_of([](const PairedJob& job) { return job.start; }, simulated_);
        if (recorded.stretches == 0 || 2 * recorded.in_all <= 3 * simulated.in_all) {
            return;
        }
        causes_.push_back(
            {"standstill",
             fmt::format("in {} stretch{} of over an hour, {} in all, the recording starts no job "
                         "although one that waits has room (in the run {} in all): an outage, a "
                         "maintenance or a reservation; failures: {{file: ...}} reads outages",
                         recorded.stretches,
                         recorded.stretches == 1 ? "" : "es",
                         report::duration_text(sim::seconds(recorded.in_all)),
                         report::duration_text(sim::seconds(simulated.in_all))),
             recorded.stretches});
    }

    const core::Topology& tree_;
    const std::vector<PairedJob>& jobs_;
    const UseOverTime& recorded_;
    const UseOverTime& simulated_;
    std::vector<core::Amount> capacity_;
    std::vector<CalibrationCause> causes_;
};

}  // namespace

std::vector<CalibrationCause> find_causes(const core::Topology& tree,
                                          const PairedJobs& pairs,
                                          const UseOverTime& recorded,
                                          const UseOverTime& simulated) {
    return Causes(tree, pairs, recorded, simulated).find();
}

}  // namespace berth::experiments
