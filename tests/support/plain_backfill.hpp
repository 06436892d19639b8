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

/// What is free of, or taken from, each of the cells of one server: its units, devices, providers.
using Cells = std::vector<std::int64_t>;

struct PlainJob {
    Cells asked;  ///< Whatever the choice understands.
    std::int64_t submit = 0;
    std::int64_t duration = 0;
    std::int64_t estimate = 0;
    std::int64_t start = -1;
    std::int64_t promised = -1;  ///< Its first reservation.
    std::int64_t reserved = -1;  ///< The one that it has, where they are kept.
    Cells takes{};               ///< Of the cells, where it runs or has a reservation.
};

/// Backfilling on one server, second by second, as the papers describe it.
class PlainBackfill {
public:
    /// What a job takes of the cells of which so much is free, or nothing.
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
                continue;  // a scheduler looks when jobs come or end, or a promise falls due
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
    /// What is free at a time, in seconds from now.
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
    /// What it would take if it started then and stayed for its estimate.
    std::optional<Cells> place_at(const PlainJob& job, std::int64_t time) {
        Cells least = free_at(time);
        for (std::int64_t t = time; t < time + job.estimate; ++t) {
            std::ranges::transform(least, free_at(t), least.begin(), std::ranges::min);
        }
        return choose_(least, job.asked);
    }
    /// The earliest place, from now on; it has it then.
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

    /// Under EASY, the first that does not start has a reservation; under replanning, everybody;
    /// first come first served, nobody starts behind it.
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

    /// Reservations are kept; when a job has ended early each gives its own back in turn.
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
    std::vector<Cells> free_;  ///< By second from now on.
};

}  // namespace berth::tests
