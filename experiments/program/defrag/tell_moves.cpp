#include "experiments/program/defrag/tell_moves.hpp"

#include <fmt/format.h>
#include <Eigen/Core>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "core/defrag/room_state.hpp"

namespace berth::experiments {
namespace {

using core::RoomGoal;
using core::ServerId;

class Telling {
public:
    Telling(const sim::ClusterMoves& moves,
            const sim::Actions& actions,
            std::size_t resource,
            DefragAnswer& answer)
        : moves_(moves),
          actions_(actions),
          tree_(actions.cluster().topology()),
          resource_(resource),
          answer_(answer),
          end_(moves.problem),
          has_room_(tree_.server_count(), false) {}

    void tell() {
        name_moves();
        const RoomGoal& goal = moves_.problem.goal;
        if (answer_.plan.reached && goal.kind == RoomGoal::Kind::copies) {
            tell_places();
        } else if (answer_.plan.reached && goal.kind == RoomGoal::Kind::whole) {
            tell_whole();
        }
        show_servers();
    }

private:
    std::string pod_name(std::uint32_t pod) const {
        const sim::RunningMember& member = moves_.members[pod];
        const sim::Job& job = actions_.job(member.job).job();
        return job.group ? fmt::format("{}-{}", job.name, member.number) : job.name;
    }

    std::string name_of(std::uint32_t server) const {
        return std::string(tree_.name(tree_.node_of(ServerId{server})));
    }

    core::Amount held_by(std::uint32_t pod) const {
        return moves_.problem.pods[pod].shape.demand[resource_];
    }

    void name_moves() {
        const bool most = moves_.problem.goal.kind == RoomGoal::Kind::most;
        for (const core::PodMove& move : answer_.plan.moves) {
            const core::MoveCost price = end_.price(move.pod);
            const std::int64_t loses = most ? price.second : price.first;
            answer_.moves.push_back({pod_name(move.pod),
                                     name_of(move.from),
                                     name_of(move.to),
                                     held_by(move.pod),
                                     loses});
            answer_.loses += loses;
            end_.move(move.pod, move.to);
        }
    }

    /// Where the pods fit after the moves: below the first domain that has room for all.
    void tell_places() {
        const RoomGoal& goal = moves_.problem.goal;
        std::vector<std::int64_t> sums(goal.domains, 0);
        for (std::uint32_t i = 0; i < tree_.server_count(); ++i) {
            if (goal.domain[i] != RoomGoal::no_domain) {
                sums[goal.domain[i]] += end_.copies(i);
            }
        }
        const auto domain = static_cast<std::uint32_t>(
            std::ranges::find_if(sums, [&](std::int64_t sum) { return sum >= goal.count; }) -
            sums.begin());
        std::int64_t left = goal.count;
        for (std::uint32_t i = 0; i < tree_.server_count() && left > 0; ++i) {
            const std::int64_t here = goal.domain[i] == domain ? end_.copies(i) : 0;
            if (here > 0) {
                has_room_[i] = true;
                answer_.room.push_back({name_of(i), std::min(here, left)});
                left -= std::min(here, left);
            }
        }
    }

    /// Which domains are whole after the moves.
    void tell_whole() {
        const RoomGoal& goal = moves_.problem.goal;
        std::vector<bool> whole(goal.domains, true);
        for (std::uint32_t i = 0; i < tree_.server_count(); ++i) {
            if (goal.domain[i] != RoomGoal::no_domain && !end_.is_whole(i)) {
                whole[goal.domain[i]] = false;
            }
        }
        std::vector<bool> told(goal.domains, false);
        for (std::uint32_t i = 0; i < tree_.server_count(); ++i) {
            const std::uint32_t domain = goal.domain[i];
            if (domain == RoomGoal::no_domain || !whole[domain]) {
                continue;
            }
            has_room_[i] = true;
            if (!told[domain]) {
                told[domain] = true;
                const core::NodeId node =
                    tree_.ancestor(tree_.node_of(ServerId{i}), *tree_.find_level(answer_.level));
                answer_.room.push_back({std::string(tree_.name(node)), 0});
            }
        }
    }

    /// The servers that the moves are about, before and after them.
    void show_servers() {
        const core::RoomState start(moves_.problem);
        std::set<std::uint32_t> shown;
        for (std::size_t i = 0; i < answer_.plan.moves.size(); ++i) {
            const core::PodMove& move = answer_.plan.moves[i];
            first_move_.try_emplace(move.pod, i + 1);
            shown.insert({move.from, move.to});
        }
        for (std::uint32_t i = 0; i < tree_.server_count(); ++i) {
            if (has_room_[i]) {
                shown.insert(i);
            }
        }
        for (const std::uint32_t server : shown) {
            const auto index = static_cast<Eigen::Index>(resource_);
            answer_.servers.push_back({name_of(server),
                                       tree_.machine_type(ServerId{server}).capacity(index),
                                       held(start.pods_on(server)),
                                       held(end_.pods_on(server)),
                                       has_room_[server]});
        }
    }

    std::vector<HeldBy> held(const std::vector<std::uint32_t>& pods) const {
        std::vector<HeldBy> out;
        for (const std::uint32_t pod : pods) {
            const auto move = first_move_.find(pod);
            if (held_by(pod) > 0) {
                out.push_back(
                    {pod_name(pod), held_by(pod), move == first_move_.end() ? 0 : move->second});
            }
        }
        return out;
    }

    const sim::ClusterMoves& moves_;
    const sim::Actions& actions_;
    const core::Topology& tree_;
    std::size_t resource_;
    DefragAnswer& answer_;
    core::RoomState end_;         ///< The state after the moves.
    std::vector<bool> has_room_;  ///< Whether each server has room after the moves.
    std::map<std::uint32_t, std::size_t> first_move_;  ///< By pod that moves, from 1.
};

}  // namespace

void tell_moves(const sim::ClusterMoves& moves,
                const sim::Actions& actions,
                std::size_t resource,
                DefragAnswer& answer) {
    Telling(moves, actions, resource, answer).tell();
}

}  // namespace berth::experiments
