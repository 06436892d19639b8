#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiments/program/why/holders.hpp"
#include "experiments/program/why/scheduler_why.hpp"
#include "schedulers/kueue/run/kueue_inquiry.hpp"

namespace berth::experiments {

/// A ClusterQueue or Cohort, in one resource of one flavor.
struct KueueQuotaLine {
    std::string name;
    bool cohort = false;
    /// Whether it is on the way from the job's ClusterQueue to the root; otherwise it is one that
    /// borrows.
    bool above = true;
    std::string nominal;
    std::string borrowing_limit;  ///< Empty: it has none.
    std::string lending_limit;    ///< Empty: it has none.
    std::string used;
    std::string borrowed;
    std::string available;
    std::string refuses;  ///< Why the request is refused here; empty: it is not refused here.
};

/// One resource of one flavor that is short for the job.
struct KueueShortage {
    std::string flavor;
    std::string resource;
    std::string asked;
    std::string available;
    std::string most;       ///< The most it could get if nothing were in use.
    bool for_good = false;  ///< Whether it asks for more than that.
    /// The nodes from its ClusterQueue up, then those that borrow.
    std::vector<KueueQuotaLine> lines;
};

/// A level of a flavor's topology.
struct KueueLevel {
    std::string flavor;
    std::string label;
    std::string constraint;  ///< `required`, `preferred` or empty.
    std::size_t domains = 0;
    std::size_t with_room = 0;  ///< The number of domains with room for at least one pod.
    std::int64_t most = 0;      ///< The most pods that fit into one domain.
    std::string best;           ///< The domain into which they fit.
};

/// The parts of Kueue's state that keep a workload from getting quota.
struct KueueScene final : OwnScene {
    void add_lines(Page& page) const override;
    [[nodiscard]] nlohmann::ordered_json json() const override;

    std::string queue;
    bool parked = false;
    std::size_t equals = 0;
    std::optional<sim::SimTime> offered_again;
    std::vector<KueueShortage> shortages;
    /// The levels of all flavors with a topology that are possible for it.
    std::vector<KueueLevel> levels;
    std::vector<HeldPlace> held;
};

[[nodiscard]] KueueScene kueue_scene(const sim::Turn& turn, const sim::KueueInquiry& inquiry);

/// The least that the workload asks for at once: for a group that may start with fewer members, the
/// requests of those.
[[nodiscard]] core::kueue::ResourceAmounts least_requests(const sim::KueueInquiry& inquiry);

}  // namespace berth::experiments
