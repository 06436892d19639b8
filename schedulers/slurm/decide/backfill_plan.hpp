#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "schedulers/slurm/decide/objects.hpp"

namespace berth::core::slurm {

using Licenses = std::map<std::string, std::int64_t>;

/// What backfill plans in one pass: slots of time, each with the nodes and licences that no
/// reservation holds in it. A reservation takes whole nodes.
class BackfillPlan {
public:
    /// One slot from `begin` to `end` with all nodes and licences, and room for so many slots.
    BackfillPlan(
        Seconds begin, Seconds end, std::size_t nodes, std::int64_t room, Licenses licenses);

    struct Usable {
        NodeSet nodes;
        /// When the search may go on: the end of the first slot after which there is more.
        std::optional<Seconds> later;
    };
    /// The nodes of `nodes` that are free in all slots from `start` to `end`, both included.
    /// Cost: O(slots x nodes / 64).
    [[nodiscard]] Usable usable(Seconds start,
                                Seconds end,
                                const NodeSet& nodes,
                                const Licenses& licenses) const;
    /// Whether a reservation holds any of the nodes in that time.
    [[nodiscard]] bool overlaps(const NodeSet& nodes, Seconds begin, Seconds end) const;
    [[nodiscard]] bool is_full() const { return used_ >= room_; }
    /// Reserves nodes and licences. It uses up to two slots, which merging does not give back.
    void reserve(Seconds begin, Seconds end, const NodeSet& nodes, const Licenses& licenses);

private:
    struct Slot {
        Seconds begin = 0;
        Seconds end = 0;
        NodeSet nodes;
        Licenses licenses;
    };
    void split_at(Seconds at);
    void merge_once();

    std::vector<Slot> slots_;
    std::int64_t used_ = 1;
    std::int64_t room_;
};

}  // namespace berth::core::slurm
