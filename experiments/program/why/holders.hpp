#pragma once

#include <span>
#include <string>
#include <vector>

#include "experiments/program/why/finding.hpp"

namespace berth::experiments {

/// A running job that holds what is missing.
struct Holder {
    std::string name;
    std::string quota;          ///< Empty in a run without.
    core::Members members = 0;  ///< Of it, at that place.
    std::string amounts;        ///< What they hold there.
    std::string devices;        ///< Of a server: the numbers of its GPUs, where they are chosen.
    sim::SimTime since{};
};

/// A server, a domain of the tree or a quota that comes nearest to what the job needs.
struct HeldPlace {
    std::string where;
    std::string lacking;          ///< What it has too little of, as a phrase.
    std::vector<Holder> holders;  ///< The largest first.
    std::size_t more = 0;         ///< Holders that are left out.
    std::string background;       ///< Held from outside the run; empty: nothing.
};
[[nodiscard]] std::vector<HeldPlace> who_holds(const sim::Turn& turn,
                                               const Finding& finding,
                                               const std::vector<LevelRoom>& rooms);

/// The same of one node of the tree, as far as it is about resources of which `matters` is above 0.
[[nodiscard]] HeldPlace who_holds_below(const sim::Turn& turn,
                                        core::NodeId node,
                                        std::span<const core::Amount> matters);

/// One quota on the way from the job's up, or one beside those, in one resource.
struct QuotaLine {
    std::string quota;
    std::string resource;
    std::string min;
    std::string max;      ///< Empty: none.
    std::string runtime;  ///< Empty: no limit.
    std::string used;
    std::string request;
    bool above = true;      ///< On the way up; otherwise beside it.
    bool over_min = false;  ///< It uses more than its min: it borrows.
};
/// In the resources in which the quota that refuses is exceeded; nothing for other stages.
[[nodiscard]] std::vector<QuotaLine> quota_lines(const sim::Turn& turn, const Finding& finding);

}  // namespace berth::experiments
