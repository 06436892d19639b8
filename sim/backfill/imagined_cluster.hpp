#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "core/ledger/ledger.hpp"
#include "sim/cluster/cluster.hpp"
#include "sim/profile/placer.hpp"
#include "sim/profile/profile.hpp"

namespace berth::sim {

/// A copy of the cluster in which the caller sets what is free, and asks which place the profile
/// would choose.
class ImaginedCluster {
public:
    /// It begins with the state of the real cluster. `profile` and `real` outlive it.
    ImaginedCluster(const Profile& profile, const Cluster& real);

    /// From now on, `available` is available on a server. The server is there if plans count on the
    /// real one (Cluster::is_in_plans).
    void show(std::uint32_t server, std::span<const core::Amount> available);
    /// From now on, a server takes no pods, because of a drain; or it takes pods again.
    void hide(std::uint32_t server, bool hidden);
    /// From now on, `taken` is taken inside a place: see Inside::places().
    void show_inside(std::uint32_t place, const Inside::Taken& taken);
    /// From now on, `pods` pods of the application of a job with a limit are on a server.
    void show_pods(const Job& job, std::uint32_t server, core::Members pods);
    /// The place for members of a job, and what they would get there inside servers.
    [[nodiscard]] std::optional<Attempt> find(const Job& job, core::Members members);
    /// Compares what follows from what it is shown with a fresh computation.
    [[nodiscard]] std::optional<core::Violation> find_violation();

private:
    void note_change(std::uint32_t server);

    const Cluster& real_;
    core::Ledger ledger_;
    std::unique_ptr<Cluster> cluster_;
    Placer placer_;
};

}  // namespace berth::sim
