#pragma once

#include <span>
#include <string>
#include <vector>

#include "experiments/program/why/finding.hpp"

namespace berth::experiments {

/// A running job that holds something that is missing.
struct Holder {
    std::string name;
    std::string quota;          ///< The job's quota; empty in a run without quotas.
    core::Members members = 0;  ///< How many of its members are at that place.
    std::string amounts;        ///< The amounts that these members hold there.
    std::string devices;        ///< The numbers of its GPUs on a server, if devices are chosen.
    sim::SimTime since{};
};

/// A server, a domain of the tree, or a quota that comes nearest to what the job needs.
struct HeldPlace {
    std::string where;
    std::string lacking;          ///< The things it has too little of, as a phrase.
    std::vector<Holder> holders;  ///< The largest holder comes first.
    std::size_t more = 0;         ///< The number of holders that are left out.
    std::string background;       ///< The amounts that are held from outside the run; empty: none.
};
[[nodiscard]] std::vector<HeldPlace> who_holds(const sim::Turn& turn,
                                               const Finding& finding,
                                               const std::vector<LevelRoom>& rooms);

/// The holders below one node of the tree, in resources whose `matters` is above 0.
[[nodiscard]] HeldPlace who_holds_below(const sim::Turn& turn,
                                        core::NodeId node,
                                        std::span<const core::Amount> matters);

/// A quota on the way up from the job's quota, or beside that way, in one resource.
struct QuotaLine {
    std::string quota;
    std::string resource;
    std::string min;
    std::string max;      ///< Empty: it has none.
    std::string runtime;  ///< Empty: it has no limit.
    std::string used;
    std::string request;
    bool above = true;      ///< Whether it is on the way up; otherwise it is beside it.
    bool over_min = false;  ///< Whether it uses more than its min, which is borrowing.
};
/// The lines for the resources in which the refusing quota is exceeded; empty for other stages.
[[nodiscard]] std::vector<QuotaLine> quota_lines(const sim::Turn& turn, const Finding& finding);

}  // namespace berth::experiments
