#include "sim/measure/job_times.hpp"

#include <algorithm>
#include <functional>
#include <limits>

#include "core/support/assert.hpp"
#include "core/tree/gpu_resource.hpp"
#include "sim/measure/gpu_time_ledger.hpp"

namespace berth::sim {
namespace {

/// At most this many labels of a trait are summed up one by one.
constexpr std::size_t labels_max = 200;

constexpr std::int64_t gpu_milli = 1000;
/// A job counts with at most this many thousandths of GPUs, which are 137 million GPUs: then the
/// sum over 67 million jobs fits into 64 bits.
constexpr std::int64_t most_of_a_job = std::int64_t{1} << 37;

/// The percentiles that may be asked for, in thousandths.
const std::vector<int> all_percentiles{500, 950, 990, 1000};

/// A class of sizes: up to `most` GPUs, or pods.
struct SizeClass {
    std::int64_t most = 0;
    std::string_view name;
};
constexpr std::array size_classes{SizeClass{1, "1"},
                                  SizeClass{4, "2-4"},
                                  SizeClass{8, "5-8"},
                                  SizeClass{64, "9-64"},
                                  SizeClass{512, "65-512"},
                                  SizeClass{std::numeric_limits<std::int64_t>::max(), "513+"}};

std::string_view size_class(std::int64_t count) {
    return std::ranges::find_if(size_classes, [&](const SizeClass& c) { return count <= c.most; })
        ->name;
}

constexpr std::array all_statistics{TimeStatistic::wait,
                                    TimeStatistic::completion,
                                    TimeStatistic::slowdown,
                                    TimeStatistic::bounded_slowdown};

template <class Samples>
auto& of(Samples& samples, JobTimes::By by, TimeStatistic statistic) {
    return samples[static_cast<std::size_t>(by)][static_cast<std::size_t>(statistic)];
}

/// Whether a job is a single pod that started at most once, so that it has the times of the job.
bool is_one_pod(const JobRecord& record) {
    return record.job.size == 1 && record.numbered <= 1 && record.pasts.empty();
}

}  // namespace

JobTimes::Row::Row(const Times& times, std::uint32_t likeness)
    : wait_(times.wait),
      completion_(times.completion),
      run_(times.run),
      likeness_(likeness),
      rest_((times.never_started ? 1U << 4 : 0U) |
            static_cast<std::uint32_t>(times.completion_state) << 2 |
            static_cast<std::uint32_t>(times.wait_state)) {}

Times JobTimes::Row::times() const {
    constexpr std::uint32_t state = 3;
    return {wait_,
            completion_,
            run_,
            static_cast<Times::State>(rest_ & state),
            static_cast<Times::State>(rest_ >> 2 & state),
            (rest_ >> 4 & 1) != 0};
}

/// Returns false if there are too many pods to be stored.
bool JobTimes::Row::set_alike(core::Members pods) {
    if (pods >> (32 - state_bits) != 0) {
        return false;
    }
    rest_ |= static_cast<std::uint32_t>(pods) << state_bits;
    return true;
}

JobTimes::JobTimes(const core::Topology& tree, Window window) : window_(window) {
    if (GpuTimeLedger::has_gpus(tree)) {
        gpu_ = core::gpu_resource(tree);
        per_gpu_ = tree.resources().per_unit(*gpu_);
    }
}

std::string JobTimes::size_label(std::int64_t milli, core::Members pods) const {
    if (!gpu_) {
        return "pods=" + std::string(size_class(pods));
    }
    if (milli < gpu_milli) {
        return milli == 0 ? "gpus=0" : "gpus=part";
    }
    return "gpus=" + std::string(size_class((milli + gpu_milli - 1) / gpu_milli));
}

std::int64_t JobTimes::gpu_milli_of(const Job& job) const {
    if (!gpu_) {
        return 0;
    }
    const std::int64_t of_pod = std::min(job.demand[*gpu_], most_of_a_job) * gpu_milli / per_gpu_;
    return std::min(std::min(of_pod, most_of_a_job) * job.size, most_of_a_job);
}

JobTimes::Labels JobTimes::labels_of(const Job& job) const {
    return {job.quota, job.user, job.job_class, size_label(gpu_milli_of(job), job.size)};
}

std::uint32_t JobTimes::label_index(JobTrait trait, const std::string& label) {
    auto& known = labels_[static_cast<std::size_t>(trait)];
    return known.try_emplace(label, static_cast<std::uint32_t>(known.size())).first->second;
}

std::uint32_t JobTimes::likeness_of(const Job& job) {
    const std::int64_t milli = gpu_milli_of(job);
    // Jobs with the same likeness often end one after the other.
    if (last_ && last_->gpu_milli == milli && last_->pods == job.size &&
        last_->quota == job.quota && last_->user == job.user && last_->job_class == job.job_class) {
        return last_->number;
    }
    Likeness likeness;
    likeness.gpu_milli = milli;
    const Labels labels = labels_of(job);
    for (std::size_t trait = 0; trait < job_trait_count; ++trait) {
        likeness.labels[trait] = label_index(static_cast<JobTrait>(trait), labels[trait]);
    }
    const auto [at, is_new] =
        likenesses_.try_emplace(likeness, static_cast<std::uint32_t>(likenesses_.size()));
    if (is_new) {
        by_number_.push_back(likeness);
        jobs_of_likeness_.push_back(0);
    }
    last_ = Last{job.quota, job.user, job.job_class, milli, job.size, at->second};
    return at->second;
}

void JobTimes::submitted(const Job& job) {
    if (samples_) {
        return;
    }
    if (rows_.empty() && !window_.counts(job.submit)) {
        ++before_rows_;
    } else {
        rows_.emplace_back();
    }
}

template <class Visit>
void JobTimes::each_alike(const JobRecord& record,
                          SimTime now,
                          const Times& job,
                          Visit visit) const {
    if (is_one_pod(record)) {
        visit(job, 1);
        return;
    }
    std::optional<Times> last;
    core::Members count = 0;
    for_each_member(record, [&](const Member& member) {
        const Times times = times_of(member, record, now);
        if (last && *last != times) {
            visit(*last, std::exchange(count, 0));
        }
        last = times;
        ++count;
    });
    if (last) {
        visit(*last, count);
    }
}

void JobTimes::recorded(const JobRecord& record, SimTime now) {
    if (!window_.counts(record.job.submit) || record.ran_from_the_start()) {
        return;
    }
    known_.clear();
    const Times job = times_of(record, now);
    const std::uint32_t likeness = likeness_of(record.job);
    if (samples_) {
        count_job(job, by_number_[likeness]);
        each_alike(record, now, job, [&](const Times& times, core::Members count) {
            for (const TimeStatistic statistic : all_statistics) {
                add(of(*samples_, By::pod, statistic), statistic, times, count);
            }
        });
        return;
    }
    Row row(job, likeness);
    if (is_one_pod(record)) {
        (void)row.set_alike(1);
    } else {
        const std::size_t pods_before = pods_.size();
        each_alike(record, now, job, [&](const Times& times, core::Members count) {
            pods_.push_back({record.arrival, times, count});
        });
        if (pods_.size() == pods_before + 1 && pods_.back().times == job &&
            row.set_alike(pods_.back().count)) {
            pods_.pop_back();
        }
    }
    rows_[record.arrival - before_rows_] = row;
    all_are_single_ = all_are_single_ && row.alike() == 1;
    ++jobs_of_likeness_[likeness];
    ++jobs_;
    if (jobs_ > jobs_max || pods_.size() > jobs_max) {
        keep_samples_only();
    }
}

void JobTimes::count_job(const Times& times, const Likeness& likeness) {
    for (const TimeStatistic statistic : all_statistics) {
        add(of(*samples_, By::job, statistic), statistic, times, 1);
        add(of(*samples_, By::gpu, statistic), statistic, times, likeness.gpu_milli);
    }
    for (std::size_t trait = 0; trait < job_trait_count; ++trait) {
        const auto known = kinds_[trait].find(likeness.labels[trait]);
        if (known != kinds_[trait].end()) {
            Kind& kind = known->second;
            ++kind.jobs;
            add(kind.wait, TimeStatistic::wait, times, 1);
            add(kind.bounded_slowdown, TimeStatistic::bounded_slowdown, times, 1);
        }
    }
}

void JobTimes::keep_samples_only() {
    Samples samples;
    for (const By by : {By::pod, By::job, By::gpu}) {
        for (const TimeStatistic statistic : all_statistics) {
            CensoredSample& mine = of(samples, by, statistic);
            mine = sample(by, statistic);
            mine.count_in_buckets();
        }
    }
    for (std::size_t trait = 0; trait < job_trait_count; ++trait) {
        for (Kind& kind : kinds(static_cast<JobTrait>(trait))) {
            if (std::exchange(kind.is_everybody, false)) {
                kind.wait = of(samples, By::job, TimeStatistic::wait);
                kind.bounded_slowdown = of(samples, By::job, TimeStatistic::bounded_slowdown);
            }
            kind.wait.count_in_buckets();
            kind.bounded_slowdown.count_in_buckets();
            const std::uint32_t index = labels_[trait].at(kind.label);
            kinds_[trait].emplace(index, std::move(kind));
        }
    }
    samples_ = std::move(samples);
    rows_ = {};
    pods_ = {};
}

std::vector<JobTimes::Pods> JobTimes::pods_by_arrival() const {
    std::vector<Pods> pods = pods_;
    std::ranges::stable_sort(pods, {}, &Pods::arrival);
    return pods;
}

template <class Visit>
void JobTimes::each_row_of_pods(Visit visit) const {
    const std::vector<Pods> pods = pods_by_arrival();
    auto next = pods.begin();
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        const Row& row = rows_[i];
        if (row.alike() > 0) {
            visit(row.times(), row.alike());
        }
        for (; next != pods.end() && next->arrival == before_rows_ + i; ++next) {
            visit(next->times, next->count);
        }
    }
}

CensoredSample JobTimes::sample(By by, TimeStatistic statistic) const {
    if (samples_) {
        return of(*samples_, by, statistic);
    }
    CensoredSample out;
    out.reserve(jobs_);
    if (by == By::pod) {
        each_row_of_pods(
            [&](const Times& times, core::Members count) { add(out, statistic, times, count); });
        return out;
    }
    rows_.each([&](const Row& row) {
        if (row.has_ended()) {
            add(out,
                statistic,
                row.times(),
                by == By::job ? 1 : by_number_[row.likeness()].gpu_milli);
        }
    });
    return out;
}

void JobTimes::add_statistics(std::vector<Metric>& out,
                              const std::string& prefix,
                              By by,
                              TimeStatistic statistic,
                              const std::vector<int>& thousandths) const {
    if (!samples_ && by == By::pod && pods_are_jobs()) {
        by = By::job;
    }
    std::vector<Metric>& known = known_[{by, statistic}];
    if (known.empty()) {
        sample(by, statistic).add_statistics(known, "", all_percentiles);
    }
    const auto add = [&](const Metric& metric) {
        out.push_back(metric);
        out.back().name = prefix + metric.name;
    };
    add(known.front());
    for (std::size_t i = 0; i < all_percentiles.size(); ++i) {
        if (std::ranges::find(thousandths, all_percentiles[i]) != thousandths.end()) {
            add(known[1 + i]);
        }
    }
}

/// The labels of a trait that have the most jobs, in the order of their names, without samples.
std::vector<JobTimes::Kind> JobTimes::most_common(JobTrait trait) const {
    const auto number = static_cast<std::size_t>(trait);
    std::vector<std::uint64_t> jobs(labels_[number].size());
    for (std::size_t likeness = 0; likeness < by_number_.size(); ++likeness) {
        jobs[by_number_[likeness].labels[number]] += jobs_of_likeness_[likeness];
    }
    std::vector<Kind> kinds;
    for (const auto& [label, index] : labels_[number]) {
        kinds.push_back({label, jobs[index], false, {}, {}});
    }
    if (kinds.size() > labels_max) {
        std::ranges::stable_sort(kinds, std::greater(), &Kind::jobs);
        kinds.resize(labels_max);
        std::ranges::sort(kinds, {}, &Kind::label);
    }
    return kinds;
}

std::vector<JobTimes::Kind> JobTimes::kinds(JobTrait trait) const {
    const auto number = static_cast<std::size_t>(trait);
    std::vector<Kind> kinds;
    if (samples_) {
        for (const auto& [index, kind] : kinds_[number]) {
            kinds.push_back(kind);
        }
        std::ranges::sort(kinds, {}, &Kind::label);
        return kinds;
    }
    kinds = most_common(trait);
    if (kinds.size() == 1 && kinds.front().jobs == jobs_) {
        kinds.front().is_everybody = true;
        return kinds;
    }
    std::vector<Kind*> of_label(labels_[number].size());
    for (Kind& kind : kinds) {
        kind.wait.reserve(kind.jobs);
        kind.bounded_slowdown.reserve(kind.jobs);
        of_label[labels_[number].at(kind.label)] = &kind;
    }
    rows_.each([&](const Row& row) {
        Kind* kind =
            !row.has_ended() ? nullptr : of_label[by_number_[row.likeness()].labels[number]];
        if (kind != nullptr) {
            add(kind->wait, TimeStatistic::wait, row.times(), 1);
            add(kind->bounded_slowdown, TimeStatistic::bounded_slowdown, row.times(), 1);
        }
    });
    return kinds;
}

}  // namespace berth::sim
