#include "experiments/program/why/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "core/support/text.hpp"
#include "experiments/program/why/nearest.hpp"
#include "experiments/program/why/words.hpp"

namespace berth::experiments {
namespace {

using core::Level;
using core::Topology;

/// Such as `It waited 119.321 s` or `It still waited when the run ended`.
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

/// Such as `159 of 172 failed attempts stopped at quota research`. Of stages with equally many
/// attempts, the one that stopped the job first is named.
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

/// Whether nothing kept the job from starting when it arrived.
bool placed_at_once(const Story& story) {
    const sim::JobRecord& record = story.record;
    return story.streaks.empty() && record.start && story.evictions.empty() &&
           *record.start == record.job.submit;
}

/// Joins the lines of a text into one.
std::string lines_joined(std::string text) {
    while (text.ends_with('\n')) {
        text.pop_back();
    }
    std::ranges::replace(text, '\n', ' ');
    return text;
}

void request(const ExperimentSpec& spec, const Story& story, Page& page) {
    const sim::Job& job = story.record.job;
    const Topology& tree = *spec.topology;
    std::string asks = amounts_text(tree.resources(), job.demand);
    if (job.devices != nullptr && spec.settings.profile.inside.devices) {
        asks += "; devices by " + lines_joined(job.devices->text);
    }
    if (job.query != nullptr) {
        asks += "; candidates " + job.query->text;
    }
    if (job.gpus != nullptr && !job.gpus->models.empty()) {
        asks += fmt::format("; GPUs of {}", core::join(job.gpus->models, " or "));
    }
    if (job.group) {
        asks = fmt::format("{} members of {}", job.size, asks);
    }
    page.line(1, "asks for {}", asks);
    if (job.group && job.min_available < job.size) {
        page.line(1, "starts with {} members", job.min_available);
    }
    for (std::uint32_t i = 0; job.constraints && i < job.constraints->level_count(); ++i) {
        if (job.constraints->stated(Level{i})) {
            const core::LevelConstraint& constraint = job.constraints->at(Level{i});
            page.line(1,
                      "constraint on {}: {}, {}",
                      tree.level_name(Level{i}),
                      constraint.affinity == core::Affinity::pack ? "pack" : "spread",
                      constraint.hard ? "hard" : "soft");
        }
    }
    if (spec.settings.quotas) {
        page.line(1, "quota {}", job.quota);
    }
    page.line(1, "submitted at {}", sim::time_text(job.submit));
}

/// An event at one time. Events with equal times are in the order of their kinds.
struct Event {
    enum class Kind : std::uint8_t { evicted, attempts, started, recovered, ended };
    sim::SimTime at{};
    Kind kind = Kind::attempts;
    std::vector<std::string> lines;
};

std::vector<std::string> streak_lines(const Streak& streak) {
    const std::string stage = stage_text(streak.stage, streak.subject);
    if (streak.count == 1) {
        return {fmt::format("1 attempt, stopped at {}", stage), streak.first_reason};
    }
    const std::string head = fmt::format(
        "{} attempts until {}, all stopped at {}", streak.count, sim::time_text(streak.to), stage);
    return streak.first_reason == streak.last_reason
               ? std::vector<std::string>{head, streak.first_reason}
               : std::vector<std::string>{
                     head, "first: " + streak.first_reason, "last: " + streak.last_reason};
}

/// Such as `evicted (node_failed: rack-3, cause power) after 40 s, hung for the last 5 s, ...`.
std::string eviction_text(const Story::Lost& lost) {
    const sim::Eviction& eviction = lost.eviction;
    std::string why = sim::to_name(eviction.cause);
    if (lost.failure) {
        why += fmt::format(": {}, {}",
                           lost.failure->component,
                           lost.failure->cause.empty() ? "an event of the experiment"
                                                       : "cause " + lost.failure->cause);
    }
    return fmt::format("evicted ({}) after {}{}, {} of work lost",
                       why,
                       sim::time_text(eviction.ran),
                       eviction.hung > sim::SimTime(0)
                           ? fmt::format(", hung for the last {}", sim::time_text(eviction.hung))
                           : "",
                       sim::time_text(eviction.lost));
}

constexpr std::size_t servers_named_max = 8;

/// Such as `on a, b, c`; for a large group, how its servers differ from those before.
std::string start_text(const std::vector<std::string>& before,
                       const std::vector<std::string>& now) {
    const std::set<std::string> had(before.begin(), before.end());
    const std::set<std::string> has(now.begin(), now.end());
    std::vector<std::string> left;
    std::vector<std::string> new_ones;
    std::ranges::set_difference(had, has, std::back_inserter(left));
    std::ranges::set_difference(has, had, std::back_inserter(new_ones));
    if (now.size() <= servers_named_max || left.size() + new_ones.size() > now.size() / 2) {
        return fmt::format("on {}", names_text(now, servers_named_max));
    }
    return fmt::format("where it was{}{}",
                       left.empty() ? "" : ", without " + names_text(left, servers_named_max),
                       new_ones.empty() ? "" : ", with " + names_text(new_ones, servers_named_max));
}

/// What let a job start at the same instant at which it found no place or was not admitted. A
/// scheduler in place of the profile may just have tried again.
std::string preemption_text(const ExperimentSpec& spec, const sim::Job& job) {
    if (spec.settings.scheduler != nullptr) {
        return "";
    }
    if (spec.settings.quotas && spec.settings.quotas->gang_preemption) {
        return ", after others were preempted";
    }
    return job.group ? "" : ", after others of its quota were preempted";
}

void add_ends(const ExperimentSpec& spec, const Story& story, std::vector<Event>& events) {
    const Topology& tree = *spec.topology;
    const sim::JobRecord& record = story.record;
    std::vector<std::string> before;
    for (const Story::Lost& lost : story.evictions) {
        const sim::Eviction& eviction = lost.eviction;
        std::vector<std::string> servers;
        for (const sim::Stint& stint : lost.stints) {
            servers.emplace_back(tree.name(tree.node_of(stint.server)));
        }
        events.push_back({eviction.at - eviction.ran,
                          Event::Kind::started,
                          {"started " + start_text(before, servers)}});
        before = std::move(servers);
        events.push_back({eviction.at, Event::Kind::evicted, {eviction_text(lost)}});
        if (lost.recovered) {
            events.push_back(
                {*lost.recovered,
                 Event::Kind::recovered,
                 {fmt::format("had done as much again as at {}", sim::time_text(eviction.at))}});
        }
    }
    if (record.start) {
        const bool failed = !story.streaks.empty() && story.streaks.back().to == *record.start &&
                            story.streaks.back().stage != WhyStage::queue;
        events.push_back({*record.start,
                          Event::Kind::started,
                          {fmt::format("started {}{}",
                                       place_text(tree, story),
                                       failed ? preemption_text(spec, record.job) : "")}});
    }
    if (record.finish) {
        events.push_back({*record.finish, Event::Kind::ended, {"finished"}});
    }
}

void story_lines(const ExperimentSpec& spec, const Story& story, Page& page) {
    std::vector<Event> events;
    for (const Streak& streak : story.streaks) {
        events.push_back({streak.from, Event::Kind::attempts, streak_lines(streak)});
    }
    add_ends(spec, story, events);
    std::ranges::stable_sort(
        events, {}, [](const Event& event) { return std::tuple(event.at, event.kind); });
    constexpr std::size_t shown_max = 12;  // events at the beginning, and equally many at the end
    for (std::size_t i = 0; i < events.size(); ++i) {
        if (i == shown_max && events.size() > 2 * shown_max) {
            page.line(1, "... {} more, which --json has", events.size() - 2 * shown_max);
            i = events.size() - shown_max;
        }
        const Event& event = events[i];
        page.line(1, "{}: {}", sim::time_text(event.at), event.lines.front());
        for (std::size_t more = 1; more < event.lines.size(); ++more) {
            page.line(3, "{}", event.lines[more]);
        }
    }
    const sim::JobRecord& record = story.record;
    if (!record.finish) {
        page.line(1,
                  "at the end of the run: {}{}",
                  to_string(record.outcome),
                  record.reason.empty() || record.start ? "" : ": " + record.reason);
    }
}

void held_lines(const HeldPlace& place, Page& page) {
    page.line(2, "{}{}{}; held by", place.where, place.lacking.empty() ? "" : " ", place.lacking);
    for (const Holder& holder : place.holders) {
        page.line(3,
                  "{}: {}{}{}{}, since {}",
                  holder.name,
                  holder.members > 1 ? fmt::format("{} members, ", holder.members) : "",
                  holder.amounts,
                  holder.devices.empty() ? "" : ", GPUs " + holder.devices,
                  holder.quota.empty() ? "" : ", quota " + holder.quota,
                  sim::time_text(holder.since));
    }
    if (place.more > 0) {
        page.line(3, "and {} more", place.more);
    }
    if (!place.background.empty()) {
        page.line(3, "the background: {}", place.background);
    }
    if (place.holders.empty() && place.background.empty()) {
        page.line(3, "nothing");
    }
}

void scene_lines(const Scene& scene, const std::string& which, Page& page) {
    page.line(0, "");
    page.line(0,
              "{}, at {}, stopped at {}:",
              which,
              sim::time_text(scene.at),
              stage_text(scene.finding.stage, scene.finding.subject));
    page.line(1, "{}", scene.finding.reason);
    if (!scene.waiting_before.empty()) {
        page.line(1,
                  "{} before it in the queue, the first {}",
                  times(scene.waiting_before.size(), "job"),
                  scene.waiting_before.front());
    }
    page.add(scene.own.lines);
    if (!scene.started_before.empty()) {
        page.line(1,
                  "{} started at the same time, before its turn: the first {}",
                  times(scene.started_before.size(), "job"),
                  scene.started_before.front());
    }
    page.add(scene.quotas.lines);
    page.add(scene.rooms.lines);
    if (!scene.held.empty()) {
        page.line(1, "What it needed, and what held it:");
    }
    for (const HeldPlace& place : scene.held) {
        held_lines(place, page);
    }
    page.line(1, "What would have let it in, the smallest change first:");
    for (std::size_t i = 0; i < scene.changes.found.size(); ++i) {
        const Change& change = scene.changes.found[i];
        page.line(2, "{}. {}{}", i + 1, change.text, share_text(change));
    }
    if (scene.changes.found.empty()) {
        page.line(2, "none of the single changes tried");
    }
    for (const std::string& untried : scene.changes.untried) {
        page.line(2, "not tried: {}", untried);
    }
}

}  // namespace

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

std::string story_text(const ExperimentSpec& spec, const Story& story) {
    Page page;
    const sim::JobRecord& record = story.record;
    page.line(0,
              "{} {} of {}, replication {}",
              record.job.group ? "group" : "pod",
              record.job.name,
              spec.name,
              story.which.replication);
    if (story.which.has_namesakes) {
        page.line(1, "other jobs share this name; this is the first to arrive");
    }
    for (const std::string& sentence : short_answer(spec, story)) {
        page.line(1, "{}", sentence);
    }
    page.line(0, "");
    request(spec, story, page);
    if (placed_at_once(story)) {
        return std::move(page).text();
    }
    story_lines(spec, story, page);
    if (story.last) {
        scene_lines(*story.last, "The last attempt that failed", page);
    }
    if (story.most_common) {
        scene_lines(*story.most_common, "What stopped it most often", page);
    }
    return std::move(page).text();
}

}  // namespace berth::experiments
