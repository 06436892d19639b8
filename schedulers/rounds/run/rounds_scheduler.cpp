#include "schedulers/rounds/run/rounds_scheduler.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>
#include <variant>

#include "schedulers/rounds/run/lease_scheduler.hpp"
#include "schedulers/rounds/run/tick_scheduler.hpp"
#include "sim/job/members.hpp"

namespace berth::sim {

const RoundsSettings* RoundsSettings::of(const Settings& settings) {
    return dynamic_cast<const RoundsSettings*>(settings.scheduler.get());
}

std::vector<std::string_view> RoundsSettings::tables() const {
    std::vector<std::string_view> names{"rounds.csv"};
    if (std::holds_alternative<LeaseRounds>(kind)) {
        names.emplace_back("leases.csv");
    }
    return names;
}

std::unique_ptr<Scheduler> RoundsSettings::make_scheduler(const Settings& settings,
                                                          RecordSink& sink,
                                                          Actions& actions) const {
    if (const auto* leases = std::get_if<LeaseRounds>(&kind)) {
        return std::make_unique<LeaseScheduler>(*this, *leases, settings, sink, actions);
    }
    return std::make_unique<TickScheduler>(
        *this, std::get<TickRounds>(kind), settings, sink, actions);
}

std::optional<std::string> RoundsScheduler::rejects(JobId id) {
    if (!state_of(id).job().training) {
        return "it trains no model, and rounds are for jobs that do";
    }
    if (gpus_of(id) > settings_.cluster.gpus()) {
        return fmt::format(
            "it asks for {} GPUs, and there are {}", gpus_of(id), settings_.cluster.gpus());
    }
    return std::nullopt;
}

void RoundsScheduler::resize_asked(JobId id, core::Members size) {
    if (state_of(id).waits()) {
        actions_.resize(id, size, {});
    } else {
        actions_.refuse_resize(id);
    }
}

void RoundsScheduler::launch(JobId id, std::span<const core::rounds::Place> places) {
    const core::Topology& tree = actions_.cluster().topology();
    Placement placement;
    placement.servers.reserve(places.size());
    for (const core::rounds::Place& place : places) {
        placement.servers.push_back(
            {tree.node_of(settings_.cluster.servers[place.server]), place.gpus});
    }
    placement.launch = settings_.launch;
    if (state_of(id).waits()) {
        actions_.start(id, std::move(placement));
    } else {
        actions_.resume(id, std::move(placement));
    }
}

void RoundsScheduler::add_round(std::int64_t round,
                                SimTime start,
                                std::size_t active,
                                std::size_t scheduled,
                                std::size_t ended,
                                std::size_t launches) {
    const auto count = [](std::size_t number) { return static_cast<std::int64_t>(number); };
    const std::array<RowField, 6> row{
        round, start, count(active), count(scheduled), count(ended), count(launches)};
    sink_.scheduler_row(static_cast<std::size_t>(RoundsTable::rounds), row);
}

void RoundsScheduler::watch(std::uint64_t arrival, JobObserver& observer) {
    watched_.emplace(arrival, observer, Placer(of_run_.profile, actions_.cluster(), false));
}

void RoundsScheduler::tell_watcher() {
    if (!watched_) {
        return;
    }
    actions_.each_job([&](JobId id) {
        if (state_of(id).record.arrival == watched_->arrival && is_left_out(id)) {
            show(id);
        }
    });
}

void RoundsScheduler::show(JobId id) {
    watched_->observer.turn({.at = actions_.now(),
                             .record = state_of(id).record,
                             .quota = {},
                             .settings = of_run_,
                             .ledger = actions_.cluster().ledger(),
                             .cluster = actions_.cluster(),
                             .placer = watched_->placer,
                             .quotas = nullptr,
                             .kept_out = why_waiting(id).reason,
                             .kept_out_by = "GPUs",
                             .is_of_placer = true,
                             .each_running =
                                 [&](const Turn::Visit& visit) {
                                     actions_.each_job([&](JobId other) {
                                         if (state_of(other).runs()) {
                                             visit(state_of(other).record, {});
                                         }
                                     });
                                 },
                             .waiting_before = [] { return std::vector<std::string>(); },
                             .inquire = [&] { return inquire(id); }});
}

std::optional<core::Violation> RoundsScheduler::find_misplaced(
    JobId id, std::span<const core::rounds::Place> places) const {
    const core::Topology& tree = actions_.cluster().topology();
    const std::vector<core::PlacedNode> members = running_members(state_of(id).record, tree);
    bool is_equal = members.size() == places.size();
    for (std::size_t i = 0; is_equal && i < places.size(); ++i) {
        is_equal = members[i].node == tree.node_of(settings_.cluster.servers[places[i].server]) &&
                   members[i].count == places[i].gpus;
    }
    return is_equal ? std::nullopt
                    : std::optional(core::Violation{"a job runs on the GPUs of its lease",
                                                    state_of(id).job().name,
                                                    fmt::format("{} servers", places.size()),
                                                    fmt::format("{} servers", members.size())});
}

}  // namespace berth::sim
