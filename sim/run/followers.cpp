#include "sim/run/followers.hpp"

#include <algorithm>

#include "core/support/assert.hpp"

namespace berth::sim {

bool Followers::keeps(Job& job, std::uint64_t number, SimTime now) {
    if (!job.ties || job.ties->after.empty()) {
        return false;
    }
    const auto met = met_at(job.ties->after);
    if (met && *met <= now) {
        return false;
    }
    std::uint32_t index = 0;
    if (free_.empty()) {
        index = static_cast<std::uint32_t>(kept_.size());
        kept_.emplace_back();
    } else {
        index = free_.back();
        free_.pop_back();
    }
    kept_[index] = {std::move(job), number, false};
    if (met) {
        let_come(index, *met);
        return true;
    }
    for (const Dependency& one : kept_[index].job->ties->after) {
        Progress& progress = progress_[one.number];
        progress.jobs = one.jobs;
        progress.waiting.push_back(index);
    }
    return true;
}

Followers::Kept Followers::take(std::uint32_t subject) {
    Kept& kept = kept_[subject - 1];
    BERTH_ASSERT(kept.job && kept.comes, "who comes was kept, and what it waited for happened");
    free_.push_back(subject - 1);
    --coming_;
    return std::exchange(kept, {});
}

void Followers::started(const Ties& ties, SimTime now) {
    for (const std::uint64_t number : ties.numbers) {
        Progress& progress = progress_[number];
        ++progress.started;
        progress.last_start = now;
        if (progress.started == progress.jobs) {
            look_again(progress, now);
        }
    }
}

void Followers::ended(const Ties& ties, bool succeeded, SimTime now) {
    for (const std::uint64_t number : ties.numbers) {
        Progress& progress = progress_[number];
        ++progress.ended;
        progress.failed += succeeded ? 0 : 1;
        progress.last_end = now;
        if (progress.ended == progress.jobs) {
            look_again(progress, now);
        }
    }
}

/// When a dependency was met, or will be; nothing if that is not known yet.
std::optional<SimTime> Followers::met_at(const Dependency& one) const {
    const auto found = progress_.find(one.number);
    if (found == progress_.end()) {
        return std::nullopt;
    }
    const Progress& progress = found->second;
    const bool starts = one.on == Dependency::On::start;
    const bool fails = one.on == Dependency::On::success && progress.failed > 0;
    if (fails || (starts ? progress.started : progress.ended) < one.jobs) {
        return std::nullopt;
    }
    const SimTime at = starts ? progress.last_start : progress.last_end;
    return after(at, one.delay);
}

std::optional<SimTime> Followers::met_at(const std::vector<Dependency>& all) const {
    SimTime latest{};
    for (const Dependency& one : all) {
        const auto met = met_at(one);
        if (!met) {
            return std::nullopt;
        }
        latest = std::max(latest, *met);
    }
    return latest;
}

/// Looks again at the jobs that wait for a number, once its last job has started or ended.
void Followers::look_again(Progress& progress, SimTime now) {
    std::erase_if(progress.waiting, [&](std::uint32_t index) {
        const Kept& kept = kept_[index];
        if (!kept.job || kept.comes) {
            return true;
        }
        const auto met = met_at(kept.job->ties->after);
        if (met) {
            let_come(index, std::max(*met, now));
        }
        return met.has_value();
    });
}

void Followers::let_come(std::uint32_t index, SimTime at) {
    kept_[index].comes = true;
    kept_[index].job->submit = at;
    ++coming_;
    events_.push(at, EventKind::submit, index + 1);
}

std::string Followers::why_not(const Dependency& one) const {
    const auto found = progress_.find(one.number);
    const bool failed =
        one.on == Dependency::On::success && found != progress_.end() && found->second.failed > 0;
    return "it comes after " + one.name + ", which " +
           (failed                            ? "did not end well"
            : one.on == Dependency::On::start ? "has not started"
            : met_at(one)                     ? "ended too late"
                                              : "has not ended");
}

std::vector<std::pair<Followers::Kept, std::string>> Followers::take_rest() {
    std::vector<Kept> rest = std::move(kept_);
    std::erase_if(rest, [](const Kept& kept) { return !kept.job; });
    std::ranges::sort(rest, {}, &Kept::number);
    std::vector<std::pair<Kept, std::string>> out;
    for (Kept& kept : rest) {
        const std::vector<Dependency>& after = kept.job->ties->after;
        const auto unmet = std::ranges::find_if(
            after, [&](const Dependency& one) { return !met_at(one).has_value(); });
        std::string reason = why_not(unmet != after.end() ? *unmet : after.back());
        out.emplace_back(std::move(kept), std::move(reason));
    }
    return out;
}

}  // namespace berth::sim
