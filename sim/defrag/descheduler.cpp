#include "sim/defrag/descheduler.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "core/defrag/greedy_moves.hpp"
#include "core/defrag/room_state.hpp"
#include "sim/cluster/service_resource.hpp"
#include "sim/defrag/cluster_moves.hpp"
#include "sim/schedulers/profile/profile_scheduler.hpp"

namespace berth::sim {
namespace {

/// The number of GPUs of the server that has the most.
std::int64_t gpus_of_largest(const core::Topology& tree) {
    const std::size_t resource = service_resource(tree);
    core::Amount most = 0;
    for (const core::MachineType& type : tree.machine_types()) {
        most = std::max(most, type.capacity(static_cast<Eigen::Index>(resource)));
    }
    return std::max<std::int64_t>(most / tree.resources().per_unit(resource), 1);
}

}  // namespace

std::unique_ptr<Scheduler> DeschedulerSettings::make_scheduler(const Settings& settings,
                                                               RecordSink& sink,
                                                               Actions& actions) const {
    return std::make_unique<Descheduler>(
        *this,
        settings,
        std::make_unique<ProfileScheduler>(settings, sink, actions),
        sink,
        actions);
}

void Descheduler::submitted(JobId id) {
    PassingScheduler::submitted(id);
    request_turn();
}

void Descheduler::started(JobId id, bool fresh) {
    PassingScheduler::started(id, fresh);
    request_turn();
}

void Descheduler::moved(JobId id, const Stay& stay) {
    PassingScheduler::moved(id, stay);
    const core::Topology& tree = actions_.cluster().topology();
    const JobRecord& record = actions_.job(id).record;
    const auto name_of = [&](core::ServerId server) { return tree.name(tree.node_of(server)); };
    const std::array<RowField, 7> row{actions_.now(),
                                      record.job.name,
                                      name_of(stay.stints.front().server),
                                      name_of(record.stints.back().server),
                                      actions_.now() - stay.since,
                                      stay.lost,
                                      gained_};
    sink_.scheduler_row(0, row);
}

void Descheduler::ended(JobId id) {
    PassingScheduler::ended(id);
    request_turn();
}

void Descheduler::request_turn() {
    if (turn_at_ || !actions_.more_to_come()) {
        return;
    }
    if (const auto at = tick_from(actions_.now() + SimTime(1), own_.every)) {
        turn_at_ = at;
        actions_.wake(*at, Timer::first);
    }
}

void Descheduler::woken(Timer timer) {
    if (timer == Timer::first && turn_at_ == actions_.now()) {
        turn_at_.reset();
        take_turn();
    } else {
        PassingScheduler::woken(timer);
    }
}

/// What the moves are for now; nothing if no job waits that they could be for.
std::optional<core::RoomGoal> Descheduler::goal() const {
    const Cluster& cluster = actions_.cluster();
    const bool shared = settings_.profile.inside.gpus.has_value();
    std::optional<core::RoomGoal> goal;
    switch (own_.policy) {
        case DescheduleFor::waiting_jobs:
            actions_.each_job([&](JobId id) {
                if (!goal && actions_.job(id).waits()) {
                    goal = room_for(actions_.job(id).job(), actions_, settings_);
                }
            });
            break;
        case DescheduleFor::whole_gpus:
            goal = pods_of_gpus(1, cluster.ledger(), shared);
            break;
        case DescheduleFor::whole_servers:
            goal = pods_of_gpus(gpus_of_largest(cluster.topology()), cluster.ledger(), shared);
            break;
    }
    if (goal) {
        goal->moves_max = own_.budget;
    }
    return goal;
}

void Descheduler::take_turn() {
    auto goal = this->goal();
    if (!goal) {
        return;
    }
    ClusterMoves moves = cluster_moves(actions_, settings_);
    for (std::size_t i = 0; i < moves.members.size(); ++i) {
        const Job& job = actions_.job(moves.members[i].job).job();
        moves.problem.pods[i].movable &= !job.group && job.size == 1;
    }
    moves.problem.goal = *std::move(goal);
    core::RoomState state(moves.problem);
    const auto plan = core::greedy_moves(state);
    if (!plan) {
        return;
    }
    for (const core::PodMove& move : *plan) {
        gained_ = -state.value();
        state.move(move.pod, move.to);
        gained_ += state.value();
        const core::Topology& tree = actions_.cluster().topology();
        Placement placement;
        placement.servers = {{tree.node_of(core::ServerId{move.to}), 1}};
        if (move.gpus.devices != 0) {
            placement.grants = {{Grant{.gpus = move.gpus}}};
        }
        actions_.move(moves.members[move.pod].job, std::move(placement));
    }
}

}  // namespace berth::sim
