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
#include "core/index/pod_index.hpp"
#include "core/index/server_rule.hpp"
#include "core/ledger/ledger.hpp"
#include "sim/cluster/inside/inside.hpp"
#include "sim/cluster/inside/plugins.hpp"
#include "sim/job/job.hpp"

namespace berth::sim {

/// The GPUs of a run that shares them: which pods fit on which server's devices, and which devices
/// each pod gets. What is taken is in the ledger.
class ServerGpus final : public Inside {
public:
    /// Makes the ledger share its GPUs.
    ServerGpus(core::Ledger& ledger, const GpuPlugin& plugin);
    /// Uses a ledger that already shares its GPUs, as a copy does.
    ServerGpus(const GpuPlugin& plugin, core::Ledger& ledger);
    ~ServerGpus() override;

    [[nodiscard]] const core::ServerRule* rule(const Job& job) override;
    [[nodiscard]] Grant take(const Job& job, core::ServerId server, core::Members before) override;
    void give_back(core::ServerId server, const Grant& grant) override;
    [[nodiscard]] bool serves_without(const Job& job,
                                      core::ServerId server,
                                      std::span<const Grant> grants) override;
    [[nodiscard]] bool is_in_ledger() const override { return true; }
    [[nodiscard]] std::unique_ptr<core::PodIndex> index(const Job& job,
                                                        const core::ServerRule* also) override;
    /// A policy for servers keeps one byte for each.
    [[nodiscard]] std::size_t index_bytes() const override {
        return policy_ != nullptr ? 1 : Inside::index_bytes();
    }
    [[nodiscard]] Lack lack(const Job& job) const override;
    [[nodiscard]] std::string why_not(const Job& job, core::ServerId server) override;
    [[nodiscard]] std::string_view refusal() const override;
    [[nodiscard]] std::uint32_t places() const override;
    [[nodiscard]] Taken taken(std::uint32_t place) const override;
    [[nodiscard]] bool is_free(std::uint32_t place,
                               const Grant& grant,
                               const Taken& taken) const override;
    void put_in(std::uint32_t place, const Grant& grant, Taken& taken) const override;
    void take_out(std::uint32_t place, const Grant& grant, Taken& taken) const override;
    [[nodiscard]] std::unique_ptr<Inside> plan_over(core::Ledger& copy) const override;
    void show(std::uint32_t place, const Taken& taken) override;
    [[nodiscard]] Grant take_planned(core::ServerId server, const Grant& grant) override;
    [[nodiscard]] std::unique_ptr<Inside> copy_over(core::Ledger& copy) const override;
    [[nodiscard]] std::optional<core::Violation> find_violation() override;
    void fold(const Grant& grant, Fingerprint& into) const override;
    [[nodiscard]] std::unique_ptr<Meter> meter(Window window) override;

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
    const GpuPlugin& plugin_;
    std::size_t cpu_;  ///< Index in the schema, like gpu_.
    std::size_t gpu_;
    core::TypicalPods typical_;
    core::Fragmentation fragmentation_;
    std::unique_ptr<core::GpuPolicy> policy_;  ///< Not set together with tree_policy_.
    std::unique_ptr<core::TreePolicy> tree_policy_;
    std::optional<core::GpuDomains> domains_;
    std::optional<core::ServerOrder> order_;
    std::map<core::GpuRequest, Shape> shapes_;
    /// Numbers of requests.
    std::map<std::pair<core::GpuMilli, std::uint32_t>, std::uint32_t> numbers_;
    /// The last request, because equal requests often follow each other. It is held so that no
    /// other request gets its address.
    std::shared_ptr<const core::GpuRequest> last_request_;
    Shape* last_ = nullptr;
};

}  // namespace berth::sim
