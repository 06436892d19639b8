#include "experiments/program/defrag/defrag.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/defrag/plan_moves.hpp"
#include "core/defrag/room_state.hpp"
#include "core/support/source.hpp"
#include "experiments/program/defrag/state_at.hpp"
#include "sim/cluster/service_resource.hpp"
#include "sim/defrag/cluster_moves.hpp"

namespace berth::experiments {
namespace {

using core::RoomGoal;
using core::ServerId;
using sim::JobId;

/// One state of a run, and the answer about it.
class Asking {
public:
    Asking(const AskedState& state, const DefragQuestion& question)
        : state_(state), question_(question), tree_(*state.spec.topology) {
        resource_ = sim::service_resource(tree_);
        answer_.resource = tree_.resources().is_gpu(resource_) ? "GPU" : "CPU";
        answer_.unit = tree_.resources().per_unit(resource_);
    }

    void look(const sim::Actions& actions, const sim::Settings& settings) {
        moves_ = sim::cluster_moves(actions, settings);
        core::MoveProblem& problem = moves_.problem;
        problem.goal = goal_of(actions, settings);
        add_facts(actions, settings);
        answer_.goal = problem.goal;
        answer_.plan = core::plan_moves(problem, question_.states_max);
        name_moves(actions);
        tell_room();
        if (!answer_.plan.reached) {
            find_nearest();
        }
        answer_.stay = static_cast<std::uint64_t>(
            std::ranges::count(problem.pods, false, &core::MovablePod::movable));
    }

    DefragAnswer take() { return std::move(answer_); }

private:
    RoomGoal goal_of(const sim::Actions& actions, const sim::Settings& settings) {
        if (question_.whole) {
            return sim::whole_domains(level(), *question_.whole, actions.cluster().ledger());
        }
        RoomGoal goal;
        if (!state_.proposed.empty() || !question_.job.empty()) {
            const sim::Job& job = asked_job(actions);
            goal = sim::room_for(job, actions, settings);
            answer_.what = job.name;
            if (state_.proposed.size() > 1) {
                goal.count = 0;
                for (const sim::Job& each : state_.proposed) {
                    goal.count += each.min_available;
                }
                answer_.what += fmt::format(" and {} more", state_.proposed.size() - 1);
                answer_.several = true;
            }
        } else {
            const std::int64_t gpus = question_.gpus.value_or(gpus_of_largest());
            goal = sim::pods_of_gpus(
                gpus, actions.cluster().ledger(), settings.profile.inside.gpus.has_value());
            answer_.what = fmt::format("of {} {}{}", gpus, answer_.resource, gpus == 1 ? "" : "s");
        }
        if (question_.budget) {
            goal.kind = RoomGoal::Kind::most;
            goal.moves_max = *question_.budget;
            if (!answer_.what.starts_with("of ")) {
                answer_.what = "like " + answer_.what;
            }
        }
        return goal;
    }

    core::Level level() {
        answer_.level = question_.level;
        const auto level = tree_.find_level(question_.level);
        if (!level) {
            throw core::InputError(
                fmt::format("berth defrag --of: error: no level '{}': expected {}{}",
                            question_.level,
                            core::alternatives(tree_.level_names()),
                            core::suggestion(question_.level, tree_.level_names())));
        }
        return *level;
    }

    const sim::Job& asked_job(const sim::Actions& actions) {
        if (question_.job.empty()) {
            return state_.proposed.front();
        }
        std::vector<std::string> names;
        const sim::Job* found = nullptr;
        actions.each_job([&](JobId id) {
            if (actions.job(id).waits()) {
                const sim::Job& job = actions.job(id).job();
                names.push_back(job.name);
                found = job.name == question_.job ? &job : found;
            }
        });
        if (found == nullptr) {
            throw core::InputError(fmt::format(
                "berth defrag --job: error: no file and no waiting job '{}': expected {}{}",
                question_.job,
                names.empty() ? "a file, since no job waits" : "a file, or a job that waits",
                core::suggestion(question_.job, names)));
        }
        return *found;
    }

    [[nodiscard]] std::int64_t gpus_of_largest() const {
        core::Amount most = answer_.unit;
        for (std::uint32_t i = 0; i < tree_.server_count(); ++i) {
            most = std::max(
                most,
                tree_.machine_type(ServerId{i}).capacity(static_cast<Eigen::Index>(resource_)));
        }
        return most / answer_.unit;
    }

    /// Adds what lists say of pods that were running when they were printed, and their budgets.
    void add_facts(const sim::Actions& actions, const sim::Settings& settings) {
        core::MoveProblem& problem = moves_.problem;
        problem.budgets = state_.facts.budgets;
        for (std::size_t i = 0; i < problem.pods.size(); ++i) {
            const sim::JobRecord& record = actions.job(moves_.members[i].job).record;
            const auto age = state_.facts.ages.find(record.job.name);
            if (age != state_.facts.ages.end() && record.ran_from_the_start() &&
                !record.job.checkpoint) {
                const std::int64_t milliseconds = age->second.count() / 1'000'000;
                const auto share = static_cast<std::int64_t>(static_cast<double>(milliseconds) *
                                                             settings.lost_work);
                problem.jobs[problem.pods[i].job].loses +=
                    share * record.job.demand[resource_] / answer_.unit;
            }
            const auto budgets = state_.facts.budgets_of.find(record.job.name);
            if (budgets != state_.facts.budgets_of.end()) {
                problem.pods[i].budgets = budgets->second;
            }
        }
    }

    std::string name_of(std::uint32_t server) const {
        return std::string(tree_.name(tree_.node_of(ServerId{server})));
    }

    void name_moves(const sim::Actions& actions) {
        core::RoomState state(moves_.problem);
        for (const core::PodMove& move : answer_.plan.moves) {
            const sim::RunningMember& member = moves_.members[move.pod];
            const sim::Job& job = actions.job(member.job).job();
            const core::MoveCost price = state.price(move.pod);
            const bool most = moves_.problem.goal.kind == RoomGoal::Kind::most;
            const std::int64_t loses = most ? price.second : price.first;
            answer_.moves.push_back(
                {job.group ? fmt::format("{}-{}", job.name, member.number) : job.name,
                 name_of(move.from),
                 name_of(move.to),
                 job.demand[resource_],
                 loses});
            answer_.loses += loses;
            state.move(move.pod, move.to);
        }
        end_.emplace(std::move(state));
    }

    /// Where the pods fit after the moves, or which domains are whole.
    void tell_room() {
        const RoomGoal& goal = moves_.problem.goal;
        if (!answer_.plan.reached || goal.kind == RoomGoal::Kind::most) {
            return;
        }
        std::vector<std::int64_t> sums(goal.domains, goal.kind == RoomGoal::Kind::whole ? 1 : 0);
        for (std::uint32_t i = 0; i < tree_.server_count(); ++i) {
            if (goal.domain[i] != RoomGoal::no_domain) {
                std::int64_t& sum = sums[goal.domain[i]];
                sum = goal.kind == RoomGoal::Kind::whole ? (end_->is_whole(i) ? sum : 0)
                                                         : sum + end_->copies(i);
            }
        }
        if (goal.kind == RoomGoal::Kind::whole) {
            tell_whole(sums);
            return;
        }
        const auto domain = static_cast<std::uint32_t>(
            std::ranges::find_if(sums, [&](std::int64_t sum) { return sum >= goal.count; }) -
            sums.begin());
        std::int64_t left = goal.count;
        for (std::uint32_t i = 0; i < tree_.server_count() && left > 0; ++i) {
            const std::int64_t here = goal.domain[i] == domain ? end_->copies(i) : 0;
            if (here > 0) {
                answer_.room.push_back({name_of(i), std::min(here, left)});
                left -= std::min(here, left);
            }
        }
    }

    void tell_whole(const std::vector<std::int64_t>& whole) {
        const RoomGoal& goal = moves_.problem.goal;
        std::vector<bool> told(goal.domains, false);
        for (std::uint32_t i = 0; i < tree_.server_count(); ++i) {
            const std::uint32_t domain = goal.domain[i];
            if (domain != RoomGoal::no_domain && whole[domain] == 1 && !told[domain]) {
                told[domain] = true;
                const core::NodeId node =
                    tree_.ancestor(tree_.node_of(ServerId{i}), *tree_.find_level(question_.level));
                answer_.room.push_back({std::string(tree_.name(node)), 0});
            }
        }
    }

    /// Bisects for how many pods, or domains, there is a plan.
    void find_nearest() {
        core::MoveProblem& problem = moves_.problem;
        for (std::uint32_t i = 0; i < tree_.server_count(); ++i) {
            const core::Amount free = problem.free[i * problem.resources + resource_];
            answer_.free += std::max<core::Amount>(free, 0);
        }
        answer_.nearest = answer_.plan.had;
        const std::int64_t wanted = problem.goal.count;
        std::int64_t too_many = problem.goal.kind == RoomGoal::Kind::most ? 0 : wanted;
        while (too_many - answer_.nearest > 1) {
            problem.goal.count = answer_.nearest + (too_many - answer_.nearest) / 2;
            const bool reached = core::plan_moves(problem, question_.states_max).reached;
            (reached ? answer_.nearest : too_many) = problem.goal.count;
        }
        problem.goal.count = wanted;
    }

    const AskedState& state_;
    const DefragQuestion& question_;
    const core::Topology& tree_;
    std::size_t resource_ = 0;
    sim::ClusterMoves moves_;
    std::optional<core::RoomState> end_;  ///< The state after the moves.
    DefragAnswer answer_;
};

}  // namespace

std::optional<DefragAnswer> answer_defrag(const AskedState& state,
                                          const DefragQuestion& question,
                                          sim::RunControl& control) {
    Asking asking(state, question);
    const bool shown =
        show_state_at(state.spec,
                      question.replication,
                      question.at,
                      control,
                      [&](const sim::Actions& actions, const sim::Settings& settings) {
                          asking.look(actions, settings);
                      });
    if (shown) {
        return asking.take();
    }
    if (control.stop) {
        return std::nullopt;
    }
    throw core::InputError(
        fmt::format("berth defrag --at: error: the run ends before {}: expected "
                    "a time in the run",
                    sim::time_text(question.at)));
}

}  // namespace berth::experiments
