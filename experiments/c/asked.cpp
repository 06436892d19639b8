#include "experiments/c/asked.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "core/support/source.hpp"
#include "experiments/program/run/replicate.hpp"
#include "experiments/program/run/run_experiment.hpp"
#include "sim/clock/random.hpp"
#include "sim/clock/time.hpp"

namespace berth::c {

using core::InputError;

namespace {

/// What an experiment has happen by itself, which is the caller's to tell here.
constexpr std::array<std::string_view, 5> happenings{
    "failures", "drains", "quotaChanges", "until", "runTime"};

void check_askable(const experiments::ResolvedExperiment& resolved,
                   const experiments::ExperimentSpec& spec) {
    const core::Value& values = *resolved.document.find("spec");
    if (spec.outside) {
        throw InputError(spec.outside->span,
                         "a scheduler that somebody else wrote: expected a profile where berth's "
                         "scheduler is asked");
    }
    for (const std::string_view key : happenings) {
        if (const core::Value* value = values.find(key)) {
            throw InputError(value->span,
                             fmt::format("{} where the scheduler is asked: expected none, for "
                                         "whoever asks says what happens",
                                         key));
        }
    }
    const auto brings_jobs = [](const experiments::WorkloadSource& source) {
        return !std::holds_alternative<workloads::BackgroundLoad>(source.what) &&
               !std::holds_alternative<experiments::GivenBackground>(source.what);
    };
    if (std::ranges::any_of(spec.workload, brings_jobs)) {
        throw InputError(values.find("workload")->span,
                         "a workload that brings jobs where the scheduler is asked: expected "
                         "background alone, for whoever asks submits the jobs");
    }
    if (spec.settings.on_failure.spares) {
        throw InputError(values.find("scheduler")->span,
                         "spares where the scheduler is asked: expected none, for it says only "
                         "who starts");
    }
}

const experiments::ExperimentSpec& checked(const experiments::ResolvedExperiment& resolved,
                                           const experiments::ExperimentSpec& spec) {
    check_askable(resolved, spec);
    return spec;
}

berth_decision decision_of(const sim::Decision& decision, const std::vector<berth_place>& places) {
    constexpr std::array kinds{BERTH_STARTS, BERTH_EVICTED, BERTH_REJECTED};
    return {.kind = kinds.at(static_cast<std::size_t>(decision.kind)),
            .job = static_cast<std::int64_t>(decision.job),
            .at = decision.at.count(),
            .places = places.data(),
            .place_count = places.size(),
            .reason = decision.reason.c_str()};
}

}  // namespace

Asked::Asked(const experiments::ResolvedExperiment& resolved,
             const experiments::ExperimentSpec& spec)
    : ledger_(experiments::cluster_of(checked(resolved, spec), 0)),
      scheduler_(ledger_, experiments::settings_of(spec, sim::replication_seed(spec.seed, 0))),
      jobs_(resolved, spec) {}

std::uint64_t Asked::submit(const berth_request& request) {
    const std::uint64_t number = scheduler_.submit(jobs_.read(request, submitted_));
    ++submitted_;
    return number;
}

void Asked::ended(std::int64_t job) {
    const auto why = job < 0 ? std::optional<std::string>("it was not submitted")
                             : scheduler_.why_no_end(static_cast<std::uint64_t>(job));
    if (why) {
        throw InputError(fmt::format("job: error: job number {} cannot end: {}", job, *why));
    }
    scheduler_.end(static_cast<std::uint64_t>(job));
}

void Asked::server_changed(std::int64_t server, bool up) {
    const std::uint32_t servers = ledger_.topology().server_count();
    if (server < 0 || server >= servers) {
        throw InputError(
            fmt::format("server: error: {}: expected an index from 0 to {}", server, servers - 1));
    }
    const core::ServerId id{static_cast<std::uint32_t>(server)};
    if (scheduler_.is_up(id) == up) {
        throw InputError(fmt::format("server: error: server '{}' is {} already: expected a change",
                                     ledger_.topology().name(ledger_.topology().node_of(id)),
                                     up ? "there" : "away"));
    }
    scheduler_.change_server(id, up);
}

std::span<const berth_decision> Asked::decide(std::int64_t now) {
    const std::int64_t last = scheduler_.now().count();
    if (now < last || now >= sim::never.count()) {
        throw InputError(fmt::format(
            "now: error: {} ns: expected a time from {} on, to which it has gone on", now, last));
    }
    decided_ = scheduler_.decide(sim::SimTime(now));
    places_.assign(decided_.size(), {});
    decisions_.clear();
    for (std::size_t i = 0; i < decided_.size(); ++i) {
        for (const core::PlacedNode& server : decided_[i].servers) {
            places_[i].push_back({ledger_.topology().server_of(server.node).index, server.count});
        }
        decisions_.push_back(decision_of(decided_[i], places_[i]));
    }
    return decisions_;
}

std::int64_t Asked::next_turn() const {
    const auto next = scheduler_.next_turn();
    return next ? next->count() : BERTH_NONE;
}

}  // namespace berth::c
