#pragma once

#include <array>
#include <optional>
#include <vector>

#include "core/ledger/ledger.hpp"
#include "core/support/violation.hpp"
#include "sim/cluster/cluster.hpp"

namespace berth::sim {

/// For one kind of waiting job: how much of the GPUs is idle, by what keeps a member of the job off
/// their server.
///
/// Units:  thousandths of a GPU.
/// Cost:   building is O(servers); catch_up() is one look at each server that changed.
class GpuIdleIndex {
public:
    /// `gpu` is the GPU resource. Of the job, only its demand and devices matter, and how many
    /// windows it meets: DrainCalendar::met().
    GpuIdleIndex(const Cluster& cluster, Job job, std::size_t gpu, std::uint32_t met = 0);

    /// Brings the index up to the ledger. Call before reading, after any change.
    void catch_up();
    [[nodiscard]] core::Amount idle(Lack lack) const {
        return idle_[static_cast<std::size_t>(lack)];
    }
    /// How many members of a group there is room for in all.
    [[nodiscard]] core::Members places() const { return places_; }
    /// Compares it, caught up, with one that is built anew.
    [[nodiscard]] std::optional<core::Violation> find_violation() const;
    /// How often a server was looked at so far: tests check that the work follows changes, not
    /// size.
    [[nodiscard]] std::uint64_t looks() const { return looks_; }

private:
    /// What a server adds to the sums.
    struct Here {
        core::Amount idle = 0;
        core::Members places = 0;
        Lack lack = Lack::nothing;
    };
    void look_at(core::ServerId server);

    const Cluster& cluster_;
    Job job_;
    std::size_t gpu_;
    std::uint32_t met_;
    std::array<core::ChangeReader, 3> changes_;  ///< Of the ledger, and of the job's rule.
    std::vector<Here> here_;                     ///< By server.
    std::array<core::Amount, lack_count> idle_{};
    core::Members places_ = 0;
    std::uint64_t looks_ = 0;
};

/// The idle GPUs of a server that is up; none on one that is over-committed from outside.
[[nodiscard]] core::Amount idle_gpus(const core::Ledger& ledger,
                                     core::ServerId server,
                                     std::size_t gpu);

}  // namespace berth::sim
