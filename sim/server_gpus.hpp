#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/gpu_sharing/gpu_domains.hpp"
#include "core/gpu_sharing/gpu_policy.hpp"
#include "core/gpu_sharing/gpu_score_index.hpp"
#include "core/gpu_sharing/tree_policy.hpp"
#include "core/ledger.hpp"
#include "core/pod_index.hpp"
#include "core/server_rule.hpp"
#include "sim/job.hpp"
#include "sim/profile.hpp"

namespace berth::sim {

/// The GPUs of a run that shares them: which pods fit on which server's devices, and which devices
/// each gets. What is taken is in the ledger.
class ServerGpus {
public:
    /// Has the ledger share its GPUs.
    ServerGpus(core::Ledger& ledger, const GpuPlugin& plugin);
    /// Of a ledger that shares its GPUs already, as a copy of one does.
    ServerGpus(const GpuPlugin& plugin, core::Ledger& ledger);
    ~ServerGpus();
    ServerGpus(const ServerGpus&) = delete;
    ServerGpus& operator=(const ServerGpus&) = delete;

    /// Whether the profile names a policy; otherwise its score plug-ins choose the server.
    [[nodiscard]] bool has_policy() const { return policy_ != nullptr || tree_policy_ != nullptr; }
    /// Whether an index takes a byte a server.
    [[nodiscard]] bool has_byte_index() const { return policy_ != nullptr; }
    /// The servers for pods like this one, by the policy; `also` may refuse servers, or be nullptr.
    [[nodiscard]] std::unique_ptr<core::PodIndex> index(const Job& job,
                                                        const core::ServerRule* also);
    /// What the devices allow, for pods that ask for GPUs; otherwise nullptr. It stays where it is.
    [[nodiscard]] const core::ServerRule* rule(const Job& job);

    /// Gives a pod its devices, which its rule says there are. `before` pods like it are on their
    /// way to the server too, and the ledger has not counted their amounts yet.
    [[nodiscard]] core::GpuGrant take(const Job& job, core::ServerId server, core::Members before);
    void give_back(core::ServerId server, core::GpuGrant grant);
    /// Whether the server could serve the pod if those who have `grants` were gone.
    [[nodiscard]] bool serves_without(const Job& job,
                                      core::ServerId server,
                                      std::span<const core::GpuGrant> grants);

    [[nodiscard]] core::Fragmentation& fragmentation() { return fragmentation_; }

private:
    class Rule;
    struct Shape {
        core::GpuRequest request;
        core::GpuPod pod;
        std::unique_ptr<Rule> rule;
    };
    [[nodiscard]] Shape& shape(const Job& job);
    [[nodiscard]] core::GpuServer view(core::ServerId server) const;
    [[nodiscard]] core::DeviceMask choose(const core::GpuServer& view,
                                          const core::GpuPod& pod,
                                          core::ServerId server);
    [[nodiscard]] std::size_t choose_by_tree(const core::GpuServer& view,
                                             const core::GpuPod& pod,
                                             core::ServerId server);

    core::Ledger& ledger_;
    std::size_t cpu_;  ///< Their places in the schema.
    std::size_t gpu_;
    core::TypicalPods typical_;
    core::Fragmentation fragmentation_;
    std::unique_ptr<core::GpuPolicy> policy_;  ///< At most one of the two.
    std::unique_ptr<core::TreePolicy> tree_policy_;
    std::optional<core::GpuDomains> domains_;
    std::optional<core::ServerOrder> order_;
    std::map<core::GpuRequest, Shape> shapes_;
    std::map<std::pair<core::GpuMilli, std::uint32_t>, std::uint32_t> numbers_;  ///< Of requests.
    /// Equal requests follow each other. Held, so that no other one comes to stand in its place.
    std::shared_ptr<const core::GpuRequest> last_request_;
    Shape* last_ = nullptr;
};

}  // namespace berth::sim
