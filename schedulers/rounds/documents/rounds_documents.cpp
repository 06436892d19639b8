#include <fmt/format.h>
#include <Eigen/Core>

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "experiments/program/config/document/fields.hpp"
#include "experiments/program/config/document/scheduler_documents.hpp"
#include "schedulers/rounds/decide/lease_policy.hpp"
#include "schedulers/rounds/documents/check_jobs.hpp"
#include "schedulers/rounds/documents/read_schedule.hpp"
#include "schedulers/rounds/run/rounds_settings.hpp"

namespace berth::experiments {
namespace {

using core::Diagnostics;
using core::MapReader;
using core::Value;
using sim::SimTime;

constexpr std::array<std::string_view, 1> text_files{"replay"};
constexpr std::array<std::string_view, 4> tick_policies{"srtf", "srsf", "tiresias", "themis"};

/// The GPUs of the cluster. Servers without GPUs are left out.
/// Errors: at `span`, if there are none, or not as many on each server.
std::optional<sim::RoundsCluster> cluster_of(const core::Topology& tree,
                                             const core::SourceSpan& span,
                                             Diagnostics& diagnostics) {
    sim::RoundsCluster cluster;
    const core::ResourceSchema& resources = tree.resources();
    for (std::size_t resource = 0; resource < resources.size(); ++resource) {
        if (!resources.is_gpu(resource)) {
            continue;
        }
        for (std::uint32_t i = 0; i < tree.server_count(); ++i) {
            const core::ServerId server{i};
            const core::Amount amount =
                tree.machine_type(server).capacity(static_cast<Eigen::Index>(resource));
            const auto gpus = static_cast<std::int32_t>(
                std::min<core::Amount>(amount / resources.per_unit(resource), 1'000'000));
            if (gpus == 0) {
                continue;
            }
            const bool is_equal = cluster.servers.empty() ||
                                  (cluster.per_server == gpus && cluster.resource == resource);
            if (!is_equal) {
                diagnostics.error(
                    span,
                    fmt::format("{} has {} {}, and {} has {} {}: expected as many GPUs of one kind "
                                "on each server that has any, since rounds number them",
                                tree.name(tree.node_of(cluster.servers.front())),
                                cluster.per_server,
                                resources.name(cluster.resource),
                                tree.name(tree.node_of(server)),
                                gpus,
                                resources.name(resource)));
                return std::nullopt;
            }
            cluster.resource = resource;
            cluster.per_server = gpus;
            cluster.servers.push_back(server);
        }
    }
    if (cluster.servers.empty()) {
        diagnostics.error(span, "no server has GPUs, which rounds give out: expected some");
        return std::nullopt;
    }
    return cluster;
}

/// A duration of at most ten years, so that many rounds one after the other can be counted.
std::optional<SimTime> read_time(MapReader& map, const std::string& key) {
    constexpr SimTime most = std::chrono::hours(24 * 3650);
    const std::optional<SimTime> time = read_duration(map, key);
    if (time && *time > most) {
        expected(*map.take(key), "at most 3650d", map.diagnostics());
        return std::nullopt;
    }
    return time;
}

std::optional<SimTime> read_positive(MapReader& map, const std::string& key) {
    const std::optional<SimTime> time = read_time(map, key);
    if (time && *time == SimTime(0)) {
        map.diagnostics().error(map.span(),
                                fmt::format("{} of 0: expected a duration above 0", key));
        return std::nullopt;
    }
    return time;
}

bool is_tick_policy(std::string_view name) {
    return std::ranges::find(tick_policies, name) != tick_policies.end();
}

bool is_lease_policy(std::string_view name) {
    return std::ranges::find(core::rounds::lease_policies(), name) !=
           core::rounds::lease_policies().end();
}

/// Says what is wrong with the name of a policy for leases, or for ticks.
void refuse_policy(const Value& named, bool ticks, Diagnostics& diagnostics) {
    const std::string& name = named.text;
    std::vector<std::string> own = core::rounds::lease_policies();
    if (ticks) {
        own.assign(tick_policies.begin(), tick_policies.end());
    }
    const std::string others = core::alternatives(own);
    if (name == "ossp" || name == "shockwave") {
        expected(
            named,
            fmt::format(
                "{}: {} is not there, since no packaged solver makes its decisions", others, name),
            diagnostics);
    } else if (ticks && is_lease_policy(name)) {
        expected(named, fmt::format("round in place of tick, or {}", others), diagnostics);
    } else if (!ticks && is_tick_policy(name)) {
        expected(named, fmt::format("tick: 360s beside it, or {}", others), diagnostics);
    } else {
        expected(named, others + core::suggestion(name, own), diagnostics);
    }
}

/// Reads the two limits of the queues, `[3250s, 7200s]`.
void read_queues(const Value& value, core::rounds::QueueLimits& limits, Diagnostics& diagnostics) {
    if (!value.is_list() || value.items.size() != limits.size()) {
        expected(value, "two durations of GPU time, such as [3250s, 7200s]", diagnostics);
        return;
    }
    for (std::size_t i = 0; i < limits.size(); ++i) {
        limits[i] = read_duration(value.items[i], diagnostics).value_or(limits[i]);
    }
    if (limits[0] == SimTime(0) || limits[1] <= limits[0]) {
        expected(value, "two durations above 0, the shorter one first", diagnostics);
    }
}

sim::TickRounds read_ticks(MapReader& map, const Value& policy) {
    sim::TickRounds ticks;
    ticks.policy = policy.text;
    ticks.tick = read_positive(map, "tick").value_or(std::chrono::seconds(360));
    if (!is_tick_policy(ticks.policy)) {
        refuse_policy(policy, true, map.diagnostics());
    }
    if (const Value* queues = map.take("queues")) {
        read_queues(*queues, ticks.queues, map.diagnostics());
        if (ticks.policy != "tiresias") {
            map.diagnostics().error(
                queues->span,
                fmt::format("{} has no queues: expected policy: tiresias", ticks.policy));
        }
    }
    return ticks;
}

sim::LeaseRounds read_leases(MapReader& map,
                             const Value* policy,
                             const Value* replay,
                             std::int64_t gpus) {
    sim::LeaseRounds leases;
    if (replay != nullptr) {
        MapReader table(*replay, "replay", map.diagnostics());
        const Value* csv = table.take("csv");
        table.report_unknown_keys();
        if (csv == nullptr || !csv->is_scalar()) {
            expected(*replay, "the file of a schedule, such as schedule.csv", map.diagnostics());
        } else {
            leases.recorded = read_schedule(*csv, gpus, map.diagnostics());
        }
    } else if (!is_lease_policy(policy->text)) {
        refuse_policy(*policy, false, map.diagnostics());
    } else {
        leases.policy = policy->text;
    }
    leases.round = read_positive(map, "round").value_or(leases.round);
    leases.look_ahead = read_time(map, "lookAhead").value_or(leases.round / 2);
    if (leases.look_ahead > leases.round) {
        map.diagnostics().error(map.span(),
                                "lookAhead is longer than a round: expected at most round");
    }
    leases.per_ended_lease = read_time(map, "perEndedLease").value_or(SimTime(0));
    leases.start = read_time(map, "start");
    return leases;
}

/// A job that is launched in each round, and never gets to train there, never ends.
void check_launch(MapReader& map, const sim::RoundsSettings& settings) {
    const auto* ticks = std::get_if<sim::TickRounds>(&settings.kind);
    const SimTime lasts =
        ticks != nullptr ? ticks->tick : std::get<sim::LeaseRounds>(settings.kind).round;
    if (settings.launch >= lasts) {
        expected(*map.take("launch"),
                 fmt::format("less than a {}, so that jobs train in it",
                             ticks != nullptr ? "tick" : "round"),
                 map.diagnostics());
    }
}

std::shared_ptr<const sim::SchedulerSettings> read_rounds(const Value& value,
                                                          const Value& /*topology*/,
                                                          const core::Topology& tree,
                                                          Diagnostics& diagnostics) {
    auto settings = std::make_shared<sim::RoundsSettings>();
    MapReader map(value, "rounds", diagnostics);
    const Value* policy = map.take("policy");
    const Value* replay = map.take("replay");
    const auto cluster = cluster_of(tree, value.span, diagnostics);
    settings->launch = read_time(map, "launch").value_or(SimTime(0));
    const bool ticks = value.find("tick") != nullptr;
    if ((policy == nullptr) == (replay == nullptr)) {
        diagnostics.error(value.span,
                          policy != nullptr
                              ? "policy and replay both decide: expected one of them"
                              : "nothing decides: expected policy: max-min, or replay: FILE");
    } else if (policy != nullptr && !policy->is_scalar()) {
        expected(*policy, "the name of a policy", diagnostics);
    } else if (ticks && replay != nullptr) {
        diagnostics.error(replay->span, "a recorded schedule has rounds: expected no tick");
    } else if (ticks) {
        settings->kind = read_ticks(map, *policy);
        map.report_unknown_keys();
    } else {
        settings->kind = read_leases(map, policy, replay, cluster ? cluster->gpus() : 0);
        map.report_unknown_keys();
    }
    settings->cluster = cluster.value_or(sim::RoundsCluster());
    check_launch(map, *settings);
    return settings;
}

}  // namespace

extern constinit const SchedulerDocuments rounds_documents;
constinit const SchedulerDocuments rounds_documents{
    .key = "rounds",
    .file_key = "",
    .text_files = text_files,
    .text_key = "csv",
    .group = "rounds/",
    .example = "{rounds: {policy: max-min}}, or {rounds: {replay: schedule.csv}}",
    .no_object = "",
    .schema = R"({
 "rounds": {
  "title": "rounds",
  "description": "Jobs that train models get GPUs for rounds, or at ticks.",
  "type": "object",
  "properties": {
   "policy": {
    "enum": ["max-min", "mst", "allox", "themis", "gandiva-fair", "srtf", "srsf", "tiresias"],
    "description": "Who gets GPUs. `srtf`, `srsf`, `tiresias` decide at ticks, `themis` there too."
   },
   "replay": {
    "anyOf": [
     {"$ref": "#/$defs/path"},
     {"$ref": "#/$defs/roundsSchedule"}
    ],
    "description": "A recorded schedule with the columns `job,first_round,last_round,workers`."
   },
   "round": {
    "$ref": "#/$defs/duration",
    "description": "How long a round is; by default 120 s."
   },
   "lookAhead": {
    "$ref": "#/$defs/duration",
    "description": "How long after a round's beginning the next one is planned; by default half."
   },
   "perEndedLease": {
    "$ref": "#/$defs/duration",
    "description": "How much longer a round is for each lease that it ends; by default 0s."
   },
   "launch": {
    "$ref": "#/$defs/duration",
    "description": "How long a lease lasts before its job trains; by default 0s."
   },
   "start": {
    "$ref": "#/$defs/duration",
    "description": "When the first round begins; by default at the first arrival."
   },
   "tick": {
    "$ref": "#/$defs/duration",
    "description": "Jobs are placed anew at multiples of it, in place of rounds."
   },
   "queues": {
    "type": "array",
    "items": {"$ref": "#/$defs/duration"},
    "minItems": 2,
    "maxItems": 2,
    "description": "The GPU time at which `tiresias` moves jobs on; by default [3250s, 7200s]."
   }
  },
  "additionalProperties": false
 },
 "roundsSchedule": {
  "title": "replay",
  "description": "A recorded schedule.",
  "type": "object",
  "properties": {"csv": {"type": "string", "description": "The table itself."}},
  "additionalProperties": false
 }
})",
    .holds_objects = [](const Value& /*document*/) { return false; },
    .check_objects = [](const std::vector<Value>& /*documents*/, Diagnostics& /*diagnostics*/) {},
    .read_scheduler = &read_rounds,
    .check_experiment = &check_jobs_of_rounds};

}  // namespace berth::experiments
