#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "experiments/program/why/text.hpp"

namespace berth::experiments {
namespace {

using core::Level;
using Json = nlohmann::ordered_json;
using sim::seconds;

Json optional_seconds(const std::optional<sim::SimTime>& time) {
    return time ? Json(seconds(*time)) : Json(nullptr);
}

Json job_json(const ExperimentSpec& spec, const sim::Job& job) {
    const core::Topology& tree = *spec.topology;
    Json demand = Json::object();
    for (std::size_t r = 0; r < job.demand.size(); ++r) {
        if (job.demand[r] > 0) {
            demand[tree.resources().name(r)] = tree.resources().format(r, job.demand[r]);
        }
    }
    Json constraints = Json::array();
    for (std::uint32_t i = 0; job.constraints && i < job.constraints->level_count(); ++i) {
        const core::LevelConstraint& constraint = job.constraints->at(Level{i});
        if (job.constraints->stated(Level{i})) {
            constraints.push_back(
                {{"level", tree.level_name(Level{i})},
                 {"affinity", constraint.affinity == core::Affinity::pack ? "pack" : "spread"},
                 {"soft", !constraint.hard}});
        }
    }
    return {{"name", job.name},
            {"group", job.group},
            {"size", job.size},
            {"min_available", job.min_available},
            {"quota", job.quota},
            {"priority", job.priority},
            {"submit_s", seconds(job.submit)},
            {"duration_s", optional_seconds(job.duration)},
            {"demand", std::move(demand)},
            {"constraints", std::move(constraints)}};
}

Json placements_json(const core::Topology& tree, const Story& story) {
    Json out = Json::array();
    for (std::size_t i = 0; i < story.record.stints.size(); ++i) {
        const sim::Stint& stint = story.record.stints[i];
        out.push_back({{"node", std::string(tree.name(tree.node_of(stint.server)))},
                       {"members", stint.members},
                       {"start_s", seconds(stint.start)},
                       {"finish_s", optional_seconds(stint.finish)},
                       {"devices", story.gpus[i]}});
    }
    return out;
}

Json held_json(const std::vector<HeldPlace>& places) {
    Json out = Json::array();
    for (const HeldPlace& place : places) {
        Json holders = Json::array();
        for (const Holder& holder : place.holders) {
            holders.push_back({{"job", holder.name},
                               {"quota", holder.quota},
                               {"members", holder.members},
                               {"amounts", holder.amounts},
                               {"devices", holder.devices},
                               {"since_s", seconds(holder.since)}});
        }
        out.push_back({{"where", place.where},
                       {"lacking", place.lacking},
                       {"holders", std::move(holders)},
                       {"more", place.more},
                       {"background", place.background}});
    }
    return out;
}

Json scene_json(const std::optional<Scene>& scene) {
    if (!scene) {
        return nullptr;
    }
    Json changes = Json::array();
    for (const Change& change : scene->changes.found) {
        Json one = change.what;
        one["text"] = change.text;
        constexpr double whole = 4294967296.0;
        one["share"] =
            change.share ? Json(static_cast<double>(*change.share) / whole) : Json(nullptr);
        changes.push_back(std::move(one));
    }
    Json out{{"at_s", seconds(scene->at)},
             {"stage", to_string(scene->finding.stage)},
             {"subject", scene->finding.subject},
             {"reason", scene->finding.reason},
             {"waiting_before", scene->waiting_before.size()},
             {"started_before", scene->started_before},
             {"quotas", scene->quotas.json},
             {"levels", scene->rooms.json},
             {"held", held_json(scene->held)},
             {"changes", std::move(changes)},
             {"not_tried", scene->changes.untried}};
    for (const SchedulerWhy& scheduler : scheduler_whys()) {
        out[std::string(scheduler.name)] =
            scheduler.name == scene->scheduler ? scene->own.json : Json(nullptr);
    }
    return out;
}

}  // namespace

Json story_json(const ExperimentSpec& spec, const Story& story) {
    const sim::JobRecord& record = story.record;
    const core::Topology& tree = *spec.topology;
    Json streaks = Json::array();
    for (const Streak& streak : story.streaks) {
        streaks.push_back({{"from_s", seconds(streak.from)},
                           {"to_s", seconds(streak.to)},
                           {"attempts", streak.count},
                           {"stage", to_string(streak.stage)},
                           {"subject", streak.subject},
                           {"first_reason", streak.first_reason},
                           {"last_reason", streak.last_reason}});
    }
    Json evictions = Json::array();
    for (const Story::Lost& lost : story.evictions) {
        Json failure = nullptr;
        if (lost.failure) {
            failure = {{"component", lost.failure->component}, {"cause", lost.failure->cause}};
        }
        evictions.push_back({{"at_s", seconds(lost.eviction.at)},
                             {"cause", sim::to_name(lost.eviction.cause)},
                             {"ran_s", seconds(lost.eviction.ran)},
                             {"lost_s", seconds(lost.eviction.lost)},
                             {"hung_s", seconds(lost.eviction.hung)},
                             {"failure", std::move(failure)},
                             {"recovered_s", optional_seconds(lost.recovered)}});
    }
    return {{"schema", "berth.why/v1"},
            {"experiment", spec.name},
            {"replication", story.which.replication},
            {"seed", sim::replication_seed(spec.seed, story.which.replication)},
            {"job", job_json(spec, record.job)},
            {"outcome", to_string(record.outcome)},
            {"reason", record.reason},
            {"start_s", optional_seconds(record.start)},
            {"finish_s", optional_seconds(record.finish)},
            {"wait_s", record.start ? Json(seconds(record.waited())) : Json(nullptr)},
            {"failed_attempts", story.attempts},
            {"story", std::move(streaks)},
            {"evictions", std::move(evictions)},
            {"placements", placements_json(tree, story)},
            {"last_failure", scene_json(story.last)},
            {"most_common", scene_json(story.most_common)}};
}

}  // namespace berth::experiments
