#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace berth::tests {

/// Free or taken amount of each cell of one server; a cell is a unit, a device or a provider.
using Cells = std::vector<std::int64_t>;

struct PlainJob {
    Cells asked;  ///< Amounts in the form that the choice function understands.
    std::int64_t submit = 0;
    std::int64_t duration = 0;
    std::int64_t estimate = 0;
    std::int64_t start = -1;
    std::int64_t promised = -1;  ///< Start of the job's first reservation.
    std::int64_t reserved = -1;  ///< Start of its present reservation, if these are kept.
    Cells takes{};               ///< Amounts taken of each cell, by a run or a reservation.
};

/// Backfilling on one server, computed second by second as the papers describe it.
class PlainBackfill {
public:
    /// The amounts that a job takes of cells with this much free; absent if it does not fit.
    using Choose = std::function<std::optional<Cells>(const Cells& free, const Cells& asked)>;

    PlainBackfill(Cells whole, Choose choose, std::vector<PlainJob> jobs, std::string policy)
        : whole_(std::move(whole)),
          choose_(std::move(choose)),
          jobs_(std::move(jobs)),
          policy_(std::move(policy)) {}

    std::vector<PlainJob> run() {
        for (now_ = 0;
             std::ranges::any_of(jobs_, [](const PlainJob& job) { return job.start < 0; });
             ++now_) {
            if (std::ranges::none_of(jobs_, [&](const PlainJob& job) {
                    return job.submit == now_ || job.reserved == now_ ||
                           (job.start >= 0 && job.start + job.duration == now_);
                })) {
                continue;  // a scheduler acts when jobs come or end, or when a reservation falls
                           // due
            }
            std::vector<PlainJob*> queue;
            for (PlainJob& job : jobs_) {
                if (job.start < 0 && job.submit <= now_) {
                    queue.push_back(&job);
                }
            }
            free_.clear();
            for (const PlainJob& job : jobs_) {
                if (runs(job)) {
                    use(job, std::max(job.start + job.estimate, now_ + 1), 1);
                }
            }
            if (policy_ == "conservative-backfill") {
                conservative(queue);
            } else {
                plan_anew(queue);
            }
        }
        return jobs_;
    }

private:
    bool runs(const PlainJob& job) const {
        return job.start >= 0 && now_ < job.start + job.duration;
    }
    /// The free amounts at a time, given in seconds from now.
    Cells& free_at(std::int64_t time) {
        while (std::ssize(free_) <= time) {
            free_.push_back(whole_);
        }
        return free_[static_cast<std::size_t>(time)];
    }
    void use(const PlainJob& job, std::int64_t until, std::int64_t sign) {
        const std::int64_t from = std::max({job.start, job.reserved, now_});
        for (std::int64_t t = from - now_; t < until - now_; ++t) {
            for (std::size_t cell = 0; cell < whole_.size(); ++cell) {
                free_at(t)[cell] -= sign * job.takes[cell];
            }
        }
    }
    /// The amounts that the job would take if it started at `time` and ran for its estimate.
    std::optional<Cells> place_at(const PlainJob& job, std::int64_t time) {
        Cells least = free_at(time);
        for (std::int64_t t = time; t < time + job.estimate; ++t) {
            std::ranges::transform(least, free_at(t), least.begin(), std::ranges::min);
        }
        return choose_(least, job.asked);
    }
    /// Gives the job the earliest place from now on.
    void reserve(PlainJob& job) {
        for (std::int64_t t = 0;; ++t) {
            if (auto place = place_at(job, t)) {
                job.takes = *place;
                job.reserved = now_ + t;
                job.promised = job.promised < 0 ? job.reserved : job.promised;
                use(job, job.reserved + job.estimate, 1);
                job.start = t == 0 ? now_ : -1;
                return;
            }
        }
    }

    /// Under EASY the first job that does not start gets a reservation, under replanning every job
    /// does; under first come, first served no job behind it starts.
    void plan_anew(const std::vector<PlainJob*>& queue) {
        bool any_waits = false;
        for (PlainJob* job : queue) {
            if (any_waits && policy_ == "fcfs") {
                return;
            }
            if (policy_ == "replanned-backfill" || !any_waits) {
                reserve(*job);
                any_waits = any_waits || job->start < 0;
            } else if (auto place = place_at(*job, 0)) {
                job->takes = *place;
                job->start = now_;
                use(*job, now_ + job->estimate, 1);
            }
            job->reserved = -1;
        }
    }

    /// Reservations are kept; when a job has ended early, each waiting job in turn gives up its
    /// reservation and makes a new one.
    void conservative(const std::vector<PlainJob*>& queue) {
        for (const PlainJob* job : queue) {
            if (job->reserved >= 0) {
                use(*job, job->reserved + job->estimate, 1);
            }
        }
        const bool early = std::ranges::any_of(jobs_, [&](const PlainJob& job) {
            return job.start >= 0 && job.start + job.duration == now_ &&
                   job.duration < job.estimate;
        });
        for (PlainJob* job : queue) {
            if (early || job->reserved < 0) {
                if (job->reserved >= 0) {
                    use(*job, job->reserved + job->estimate, -1);
                }
                job->reserved = -1;
                reserve(*job);
            }
            job->start = job->reserved == now_ ? now_ : job->start;
        }
    }

    Cells whole_;
    Choose choose_;
    std::vector<PlainJob> jobs_;
    std::string policy_;
    std::int64_t now_ = 0;
    std::vector<Cells> free_;  ///< Free amounts by second from now on.
};

}  // namespace berth::tests
