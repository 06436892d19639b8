#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "experiments/program/why/finding.hpp"
#include "experiments/program/why/told.hpp"

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
    std::string lacking{};          ///< The things it has too little of, as a phrase.
    std::vector<Holder> holders{};  ///< The largest holder comes first.
    std::size_t more = 0;           ///< The number of holders that are left out.
    std::string background{};  ///< The amounts that are held from outside the run; empty: none.
};

/// A holder, and how much it holds in comparison with others.
struct RankedHolder {
    std::int64_t share = 0;
    Holder holder;
};
/// Adds the largest of them, no more than people would read.
void keep_largest(std::vector<RankedHolder> all, HeldPlace& place);

[[nodiscard]] std::vector<HeldPlace> who_holds(const sim::Turn& turn,
                                               const Finding& finding,
                                               const std::vector<LevelRoom>& rooms);

/// The holders below one node of the tree, in resources whose `matters` is above 0.
[[nodiscard]] HeldPlace who_holds_below(const sim::Turn& turn,
                                        core::NodeId node,
                                        std::span<const core::Amount> matters);

/// The quotas on the way up from the job's quota, and some beside that way, in the resources in
/// which the refusing quota is exceeded; nothing at other stages.
void tell_quotas(const sim::Turn& turn, const Finding& finding, Told& told);
/// The room at each level; only for programs at stages that are not about levels.
void tell_rooms(const sim::Turn& turn,
                const Finding& finding,
                const std::vector<LevelRoom>& rooms,
                Told& told);

}  // namespace berth::experiments
