#pragma once

#include <functional>
#include <optional>
#include <set>

#include "schedulers/kai/decide/scenario_generators.hpp"
#include "schedulers/kai/decide/statement.hpp"

namespace berth::core::kai {

/// Looks for pods whose eviction makes room for one job.
class VictimSearch {
public:
    using Validate = std::function<bool(const Scenario&)>;
    using MakeVictims = std::function<JobsOrder()>;

    /// `validate`: whether a scenario in which there is room may come true; asked while it is
    ///             tried.
    /// `victims`:  a new order of the jobs that may be victims.
    VictimSearch(Session& session, Validate validate, MakeVictims victims)
        : session_(session), validate_(std::move(validate)), victims_(std::move(victims)) {}

    /// The evictions and placements, in force but not committed; nothing if there are none.
    ///
    /// Limits: if a scenario works but the job is not whole (it needs less than all its groups),
    ///         its evictions stay in force, and nothing is committed, as in KAI.
    [[nodiscard]] std::optional<Statement> solve(Job& job, const NodeSet& feasible);

private:
    enum class Generator : bool { node_by_node, several_nodes };

    struct Solution {
        Statement statement;
        Batch victims;
        std::vector<Batch> batches;
    };

    std::size_t largest_solvable(const Job& job, const Batch& pods, Generator generator);
    std::optional<Solution> probe(const Job& job,
                                  const Batch& pods,
                                  std::size_t count,
                                  Generator generator);
    std::optional<Solution> simulate(const Scenario& scenario, const NodeSet& feasible);
    [[nodiscard]] Solution solution_of(const Scenario& scenario, Statement statement) const;
    void offer_all(const Scenario& scenario, JobsOrder& order);
    bool place(const Scenario& scenario, Statement& statement, const NodeSet& nodes);

    Session& session_;
    Validate validate_;
    MakeVictims victims_;
    std::set<Scenario::Key> failed_;
    NodeSet feasible_;
    Batch recorded_;
    std::vector<Batch> recorded_batches_;
};

}  // namespace berth::core::kai
