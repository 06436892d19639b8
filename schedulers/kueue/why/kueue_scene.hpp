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
    bool above = true;  ///< On the way from its ClusterQueue to the root; otherwise it borrows.
    std::string nominal;
    std::string borrowing_limit;  ///< Empty: none.
    std::string lending_limit;    ///< Empty: none.
    std::string used;
    std::string borrowed;
    std::string available;
    std::string refuses;  ///< Why the request is refused here; empty: it is not.
};

/// One resource of one flavor of which there is too little for it.
struct KueueShortage {
    std::string flavor;
    std::string resource;
    std::string asked;
    std::string available;
    std::string most;                   ///< What it could have if nothing were used.
    bool for_good = false;              ///< It asks for more than that.
    std::vector<KueueQuotaLine> lines;  ///< From its ClusterQueue up, then those who borrow.
};

/// A level of a flavor's topology.
struct KueueLevel {
    std::string flavor;
    std::string label;
    std::string constraint;  ///< `required`, `preferred` or empty.
    std::size_t domains = 0;
    std::size_t with_room = 0;  ///< For a pod at least.
    std::int64_t most = 0;      ///< Pods that one of them has room for.
    std::string best;           ///< That one.
};

/// What of Kueue's state keeps a workload from its quota.
struct KueueScene final : OwnScene {
    void add_lines(Page& page) const override;
    [[nodiscard]] nlohmann::ordered_json json() const override;

    std::string queue;
    bool parked = false;
    std::size_t equals = 0;
    std::optional<sim::SimTime> offered_again;
    std::vector<KueueShortage> shortages;
    std::vector<KueueLevel> levels;  ///< Of all flavors with a topology that come into question.
    std::vector<HeldPlace> held;
};

[[nodiscard]] KueueScene kueue_scene(const sim::Turn& turn, const sim::KueueInquiry& inquiry);

/// The least that it asks for at once: with a group that may start with fewer members, theirs.
[[nodiscard]] core::kueue::ResourceAmounts least_requests(const sim::KueueInquiry& inquiry);

}  // namespace berth::experiments
