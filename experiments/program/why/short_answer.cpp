#include "experiments/program/why/short_answer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>

#include "experiments/program/why/words.hpp"

namespace berth::experiments {
namespace {

/// `It waited 119.321 s`, `It still waited when the run ended`, ...
std::string wait_text(const Story& story) {
    const sim::JobRecord& record = story.record;
    std::string out = record.start ? fmt::format("It waited {}", sim::time_text(record.waited()))
                      : record.outcome == sim::Outcome::waiting
                          ? "It still waited when the run ended"
                          : fmt::format("It was {}", to_string(record.outcome));
    if (!story.evictions.empty()) {
        out += fmt::format(", {} evicted {}",
                           record.start ? "and was" : "after it was",
                           times(story.evictions.size(), "time"));
    }
    return out;
}

/// `159 of 172 failed attempts stopped at quota research`; of stages with as many attempts, the one
/// that stopped it first.
std::string stop_text(const Story& story) {
    std::map<std::string, std::uint64_t> attempts;
    for (const Streak& streak : story.streaks) {
        attempts[stage_text(streak.stage, streak.subject)] += streak.count;
    }
    std::string most;
    for (const Streak& streak : story.streaks) {
        const std::string stage = stage_text(streak.stage, streak.subject);
        most = most.empty() || attempts[stage] > attempts[most] ? stage : most;
    }
    if (story.attempts == 1) {
        return fmt::format("its one failed attempt stopped at {}", most);
    }
    return attempts[most] == story.attempts
               ? fmt::format("all {} failed attempts stopped at {}", story.attempts, most)
               : fmt::format("{} of {} failed attempts stopped at {}",
                             attempts[most],
                             story.attempts,
                             most);
}

std::string change_text(const Scene& last) {
    if (last.changes.found.empty()) {
        return fmt::format(
            "No single change that was tried would have let it in at the last one, at {}.",
            sim::time_text(last.at));
    }
    const Change& smallest = last.changes.found.front();
    return fmt::format("The smallest change that would have let it in at {}: {}{}.",
                       sim::time_text(last.at),
                       smallest.text,
                       share_text(smallest));
}

}  // namespace

bool placed_at_once(const Story& story) {
    const sim::JobRecord& record = story.record;
    return story.streaks.empty() && record.start && story.evictions.empty() &&
           *record.start == record.job.submit;
}

std::vector<std::string> short_answer(const ExperimentSpec& spec, const Story& story) {
    if (placed_at_once(story)) {
        return {fmt::format("It was placed at once, {}.", place_text(*spec.topology, story))};
    }
    if (story.streaks.empty()) {
        return {wait_text(story) + ", and no attempt failed."};
    }
    std::vector<std::string> out{fmt::format("{}: {}.", wait_text(story), stop_text(story))};
    if (story.last) {
        out.push_back(change_text(*story.last));
    }
    return out;
}

}  // namespace berth::experiments
