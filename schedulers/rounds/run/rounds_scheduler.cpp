#include "schedulers/rounds/run/rounds_scheduler.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>
#include <variant>

#include "schedulers/rounds/run/lease_scheduler.hpp"
#include "schedulers/rounds/run/tick_scheduler.hpp"
#include "sim/job/members.hpp"
#include "sim/profile/settings.hpp"

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

std::unique_ptr<Scheduler> RoundsSettings::make_scheduler(const Settings& /*settings*/,
                                                          RecordSink& sink,
                                                          Actions& actions) const {
    if (const auto* leases = std::get_if<LeaseRounds>(&kind)) {
        return std::make_unique<LeaseScheduler>(*this, *leases, sink, actions);
    }
    return std::make_unique<TickScheduler>(*this, std::get<TickRounds>(kind), sink, actions);
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
