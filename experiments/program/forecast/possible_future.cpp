#include "experiments/program/forecast/possible_future.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "experiments/program/forecast/normal_scores.hpp"
#include "sim/clock/random.hpp"

namespace berth::experiments {
namespace {

using sim::SimTime;

constexpr SimTime day = std::chrono::hours(24);
constexpr std::size_t most_days = 14;
constexpr SimTime shortest = std::chrono::seconds(1);

/// A multiple of a limit as a time, at least a second.
SimTime time_of(double ratio, SimTime limit) {
    constexpr double most = 9e18;
    const double time = std::min(ratio * static_cast<double>(limit.count()), most);
    return std::max(SimTime(std::llround(time)), shortest);
}

LearnFrom learn_from(ForecastMethod::RunTimes run_times) {
    return run_times == ForecastMethod::RunTimes::pooled ? LearnFrom::all : LearnFrom::alike;
}

/// The server of each member that runs now.
std::vector<core::ServerId> servers_of(const PastJob& job, SimTime now) {
    std::vector<core::ServerId> servers;
    for (const PastPlace& place : job.places) {
        if (place.start <= now && (!place.end || now < *place.end)) {
            servers.insert(servers.end(), static_cast<std::size_t>(place.members), place.server);
        }
    }
    return servers;
}

}  // namespace

PossibleFutures::PossibleFutures(const Past& past,
                                 const PastScores& scores,
                                 SimTime now,
                                 const ForecastMethod& method,
                                 const ChangedJob* changed)
    : past_(past), now_(now), method_(method), learned_(past, now, learn_from(method.run_times)) {
    if (method.dependent) {
        dependence_ = scores.measured(now);
    }
    if (changed != nullptr) {
        changed_ = past.jobs()[changed->index];
        changed_->job = changed->job;
        changed_->set_limit();
        changed_->shape = past.shapes();
    }
    const std::vector<PastJob>& jobs = past.jobs();
    for (std::size_t i = 0; i < jobs.size() && jobs[i].has_come(now); ++i) {
        if (jobs[i].runs(now)) {
            running_.push_back(i);
        } else if (jobs[i].waits(now)) {
            waiting_.push_back(i);
        } else if (jobs[i].finished && jobs[i].start) {
            ended_ratios_.push_back(jobs[i].ratio(*jobs[i].end - *jobs[i].start));
        }
    }
    for (const auto* part : {&running_, &waiting_}) {
        for (const std::size_t i : *part) {
            const bool is_changed = changed != nullptr && changed->index == i;
            const PastJob& job = is_changed ? *changed_ : jobs[i];
            const double ran = part == &running_ ? job.ratio(job.ran(now)) : 0;
            known_.push_back({i, &job, ran, &learned_.curve(job)});
        }
    }
    if (method.arrivals && !jobs.empty() && past.first() <= now) {
        days_ = std::min(most_days, static_cast<std::size_t>((now - past.first()) / day));
        const SimTime from = now - static_cast<std::int64_t>(days_) * day;
        const bool any_came = std::ranges::any_of(jobs, [&](const PastJob& job) {
            return job.comes_again() && job.job.submit > from && job.has_come(now);
        });
        days_ = any_came ? days_ : 0;
    }
}

ForecastBasis PossibleFutures::basis() const {
    ForecastBasis basis{.running = running_.size(),
                        .ended = learned_.ended(),
                        .dependence = dependence_,
                        .days = days_};
    std::map<std::uint32_t, std::size_t> of_user;
    for (const std::size_t i : waiting_) {
        ++of_user[past_.jobs()[i].user];
    }
    for (const auto& [user, count] : of_user) {
        if (learned_.ended_of(user) == 0) {
            basis.new_users.push_back(past_.user(user));
        }
        if (!past_.user(user).empty()) {
            basis.largest_share =
                std::max(basis.largest_share,
                         static_cast<double>(count) / static_cast<double>(waiting_.size()));
        }
    }
    return basis;
}

/// How long a job runs from now on.
SimTime PossibleFutures::run_time(const Known& known, double u) const {
    const PastJob& job = *known.job;
    using RunTimes = ForecastMethod::RunTimes;
    double ratio = 1;
    if (method_.run_times == RunTimes::learned || method_.run_times == RunTimes::pooled) {
        ratio = known.curve->quantile(u, known.ran);
    } else if (method_.run_times == RunTimes::limits) {
        ratio = known.ran + (1 - known.ran) * u;
    }
    return time_of(ratio - known.ran, job.limit);
}

sim::Job PossibleFutures::job_of(const Known& known, double u) const {
    const PastJob& past = *known.job;
    sim::Job job = past.job;
    job.submit = SimTime(0);
    job.resizes.clear();
    job.duration = run_time(known, u);
    if (past.runs(now_)) {
        std::vector<core::ServerId> servers = servers_of(past, now_);
        job.size = static_cast<core::Members>(servers.size());
        job.min_available = std::min(job.min_available, job.size);
        job.servers = std::move(servers);
        if (job.estimate) {
            job.estimate = std::max(*job.estimate - past.ran(now_), SimTime(0));
        }
    } else {
        job.servers = {};
    }
    return job;
}

/// A probability for each known job: even for each, and, if jobs depend on each other, alike for
/// those of one user, and more so for those of one shape (a Gaussian copula).
std::vector<double> PossibleFutures::draw_probabilities(std::uint64_t seed) const {
    const sim::RandomSeries own(seed, "forecast/job");
    std::vector<double> drawn;
    drawn.reserve(known_.size());
    if (!dependence_) {
        for (const Known& known : known_) {
            drawn.push_back(own.uniform(known.index));
        }
        return drawn;
    }
    const sim::RandomSeries of_user(seed, "forecast/user");
    const sim::RandomSeries of_shape(seed, "forecast/shape");
    const NormalScores& normal = NormalScores::table();
    for (const Known& known : known_) {
        // A changed form is drawn like the job as it is.
        const PastJob& job = past_.jobs()[known.index];
        const double user =
            learned_.ended_of(job.user) == 0 ? dependence_->new_user : dependence_->user;
        const double shape = dependence_->shape * (1 - user);
        const double rest = std::max(1 - user - shape, 0.0);
        const std::uint64_t pair = std::uint64_t{job.user} << 32U | job.shape;
        const double score = std::sqrt(user) * normal.score(of_user.uniform(job.user)) +
                             std::sqrt(shape) * normal.score(of_shape.uniform(pair)) +
                             std::sqrt(rest) * normal.score(own.uniform(known.index));
        drawn.push_back(normal.probability(score));
    }
    return drawn;
}

/// The known jobs, then those of past days in a row, without an end.
class PossibleFutures::Source final : public sim::PodSource {
public:
    Source(const PossibleFutures& of, std::uint64_t seed)
        : of_(of),
          drawn_(of.draw_probabilities(seed)),
          days_(seed, "forecast/day"),
          ratios_(seed, "forecast/arrival") {}

    std::optional<sim::Job> next() override {
        if (at_ < of_.known_.size()) {
            sim::Job job = of_.job_of(of_.known_[at_], drawn_[at_]);
            ++at_;
            return job;
        }
        if (of_.days_ == 0) {
            return std::nullopt;
        }
        while (true) {
            while (next_ == end_) {
                begin_day();
            }
            const PastJob& past = of_.past_.jobs()[next_++];
            if (past.comes_again()) {
                return arrival(past);
            }
        }
    }

private:
    void begin_day() {
        const auto back =
            1 + static_cast<std::int64_t>(days_.uniform(static_cast<std::uint64_t>(number_)) *
                                          static_cast<double>(of_.days_));
        const SimTime from = of_.now_ - back * day;
        const auto& jobs = of_.past_.jobs();
        const auto index_of = [&](SimTime at) {
            const auto first = std::ranges::upper_bound(
                jobs, at, {}, [](const PastJob& job) { return job.job.submit; });
            return static_cast<std::size_t>(first - jobs.begin());
        };
        next_ = index_of(from);
        end_ = index_of(from + day);
        shift_ = SimTime(number_ * day.count()) - from;
        ++number_;
    }

    sim::Job arrival(const PastJob& past) {
        sim::Job job = past.job;
        job.name += "/again";
        job.submit = past.job.submit + shift_;
        job.resizes.clear();
        job.ties = {};
        job.servers = {};
        if (past.is_over(of_.now_) && past.finished && past.start) {
            job.duration = *past.end - *past.start;
        } else if (!of_.ended_ratios_.empty()) {
            const auto& ratios = of_.ended_ratios_;
            const auto i = static_cast<std::size_t>(ratios_.uniform(arrivals_) *
                                                    static_cast<double>(ratios.size()));
            job.duration = time_of(ratios[std::min(i, ratios.size() - 1)], past.limit);
        } else {
            job.duration = past.limit;
        }
        ++arrivals_;
        return job;
    }

    const PossibleFutures& of_;
    std::vector<double> drawn_;
    sim::RandomSeries days_;
    sim::RandomSeries ratios_;
    std::size_t at_ = 0;
    std::int64_t number_ = 0;  ///< The number of the day that begins next.
    std::size_t next_ = 0;
    std::size_t end_ = 0;
    SimTime shift_{};
    std::uint64_t arrivals_ = 0;
};

std::unique_ptr<sim::PodSource> PossibleFutures::draw(std::uint64_t seed) const {
    return std::make_unique<Source>(*this, seed);
}

}  // namespace berth::experiments
