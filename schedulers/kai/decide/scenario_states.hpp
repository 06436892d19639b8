#pragma once

#include <optional>
#include <set>

#include "schedulers/kai/decide/jobs_order.hpp"
#include "schedulers/kai/decide/scenario.hpp"

namespace berth::core::kai {

/// Adds victims job by job, and offers the states in which there may be room for the preemptor by
/// the number of GPUs alone.
class ScenarioStates {
public:
    /// `preemptor`: the part of a job that is to be placed; it and `session` must outlive this.
    ScenarioStates(Session& session,
                   Job& preemptor,
                   const std::vector<Batch>& recorded,
                   JobsOrder victims);

    /// The next state, the first one without potential victims; nothing if there is none.
    /// It is valid until the next call.
    [[nodiscard]] const Scenario* next();

private:
    bool add_next_victims();
    [[nodiscard]] bool may_have_room() const;
    [[nodiscard]] bool domains_may_have_room(const std::vector<double>& capacity) const;

    Session& session_;
    JobsOrder victims_;
    std::set<PodIndex> recorded_;
    std::optional<Scenario> scenario_;
    bool is_first_ = true;
};

}  // namespace berth::core::kai
