#include "experiments/program/defrag/defrag.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <utility>

#include "core/defrag/plan_moves.hpp"
#include "core/support/source.hpp"
#include "experiments/program/defrag/state_at.hpp"
#include "experiments/program/defrag/tell_moves.hpp"
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
    Asking(const AskedState& state, const DefragQuestion& question, const sim::RunControl& control)
        : state_(state), question_(question), stop_(control.stop), tree_(*state.spec.topology) {
        resource_ = sim::service_resource(tree_);
        answer_.resource = tree_.resources().is_gpu(resource_) ? "GPU" : "CPU";
        answer_.unit = tree_.resources().per_unit(resource_);
        answer_.largest = std::max(answer_.unit, of_largest());
        answer_.may_search = tree_.server_count() <= core::exact_servers_max;
    }

    void look(const sim::Actions& actions, const sim::Settings& settings) {
        moves_ = sim::cluster_moves(actions, settings);
        core::MoveProblem& problem = moves_.problem;
        problem.goal = goal_of(actions, settings);
        add_facts(actions, settings);
        answer_.goal = problem.goal;
        answer_.plan = core::plan_moves(problem, {question_.states_max, &stop_});
        tell_moves(moves_, actions, resource_, answer_);
        if (!answer_.plan.reached) {
            find_nearest();
        }
        interrupted_ = stop_;
    }

    /// Returns: nothing if it was interrupted.
    std::optional<DefragAnswer> take() {
        return interrupted_ ? std::nullopt : std::optional(std::move(answer_));
    }

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
            if (state_.proposed.size() > 1 && !question_.budget) {
                goal.count = 0;
                for (const sim::Job& each : state_.proposed) {
                    goal.count += each.min_available;
                }
                answer_.what += fmt::format(" and {} more", state_.proposed.size() - 1);
                answer_.several = true;
            }
        } else {
            const std::int64_t gpus = question_.gpus.value_or(answer_.largest / answer_.unit);
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

    [[nodiscard]] core::Amount of_largest() const {
        core::Amount most = 0;
        for (std::uint32_t i = 0; i < tree_.server_count(); ++i) {
            most = std::max(
                most,
                tree_.machine_type(ServerId{i}).capacity(static_cast<Eigen::Index>(resource_)));
        }
        return most;
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
        while (too_many - answer_.nearest > 1 && !stop_) {
            problem.goal.count = answer_.nearest + (too_many - answer_.nearest) / 2;
            const bool reached = core::plan_moves(problem, {question_.states_max, &stop_}).reached;
            (reached ? answer_.nearest : too_many) = problem.goal.count;
        }
        problem.goal.count = wanted;
    }

    const AskedState& state_;
    const DefragQuestion& question_;
    const std::atomic<bool>& stop_;
    bool interrupted_ = false;
    const core::Topology& tree_;
    std::size_t resource_ = 0;
    sim::ClusterMoves moves_;
    DefragAnswer answer_;
};

}  // namespace

std::optional<DefragAnswer> answer_defrag(const AskedState& state,
                                          const DefragQuestion& question,
                                          sim::RunControl& control) {
    Asking asking(state, question, control);
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
