#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/gpu_sharing/gpu_policy.hpp"
#include "core/index/lack_counts.hpp"
#include "core/index/pod_index.hpp"
#include "core/index/server_rule.hpp"
#include "core/ledger/ledger.hpp"

namespace berth::core {

/// Decides between equally good servers: the one with the lowest place wins.
struct ServerOrder {
    std::vector<std::uint32_t> place;  ///< The place of each server.
    std::vector<ServerId> server;      ///< The server at each place.

    /// A random order. All orders are equally likely.
    [[nodiscard]] static ServerOrder drawn(std::uint32_t servers, std::uint64_t seed);
};

/// The PodIndex of one pod shape under a GpuPolicy. A server's verdict takes two bytes, and the
/// best of 64 servers, or of 64 such blocks, is found by scanning them.
///
/// Cost:  building is O(servers); afterwards catch_up() costs a score and two short scans for each
///        server that changed, and best() a scan of 128 bytes for each power of 64 servers. Two
///        bytes for each server.
/// Order: equal scores go to the first server of the tree, or of the given order.
class GpuScoreIndex final : public PodIndex {
public:
    /// `demand` is by the schema of the ledger, which shares its GPUs. `order` may be nullptr, and
    /// so may `also`, a rule that can refuse servers too; otherwise they outlive the index, as the
    /// policy does.
    GpuScoreIndex(const Ledger& ledger,
                  std::vector<Amount> demand,
                  const GpuRequest& request,
                  GpuPod pod,
                  GpuPolicy& policy,
                  const ServerOrder* order,
                  const ServerRule* also);

    void catch_up() override;
    [[nodiscard]] std::optional<ServerId> best() override;
    [[nodiscard]] bool fits(ServerId server) const override {
        return levels_[0][place(server.index)] >= feasible;
    }
    [[nodiscard]] std::uint32_t feasible_count() const override { return feasible_count_; }
    [[nodiscard]] std::uint32_t insufficient_count(std::size_t resource) const override;
    [[nodiscard]] std::uint32_t refused_count() const override;
    [[nodiscard]] std::optional<Violation> find_violation() const override;
    [[nodiscard]] std::uint64_t servers_scored() const override { return servers_scored_; }

private:
    /// A server's verdict. A value from `feasible` on stands for its score and what is beyond it; a
    /// lower value is the number of what it lacks. It is signed, since every x86-64 processor finds
    /// the greatest of signed 16-bit numbers eight at a time.
    using Verdict = std::int16_t;
    static constexpr Verdict feasible = 128;
    static constexpr std::int32_t score_zero = feasible - GpuPolicy::beyond_lowest;
    static_assert(score_zero + 101 * GpuPolicy::beyond_steps <= INT16_MAX);
    static constexpr std::size_t block = 64;

    [[nodiscard]] Verdict verdict(ServerId server);
    [[nodiscard]] Verdict lacking(Lacks lacks);
    [[nodiscard]] std::size_t place(std::uint32_t server) const {
        return order_ != nullptr ? order_->place[server] : server;
    }
    [[nodiscard]] ServerId server_at(std::size_t place) const {
        return order_ != nullptr ? order_->server[place]
                                 : ServerId{static_cast<std::uint32_t>(place)};
    }
    void set(std::size_t place, Verdict verdict);
    [[nodiscard]] Verdict best_of_block(std::size_t level, std::size_t number) const;
    void count(Verdict verdict, std::int32_t servers);
    void rebuild();
    [[nodiscard]] std::size_t nth_feasible(std::uint32_t n) const;

    const Ledger& ledger_;
    const Topology& tree_;
    std::vector<Amount> demand_;
    std::size_t cpu_;
    /// Whether each model is accepted; empty: the pod asks for no GPU.
    std::vector<char> accepted_;
    GpuPod pod_;
    GpuPolicy& policy_;
    const ServerOrder* order_;
    const ServerRule* also_;
    ChangeReader changes_;
    /// First the verdicts of the servers, then on each level the best of each block of 64 of the
    /// level before; padded to whole blocks.
    std::vector<std::vector<Verdict>> levels_;
    std::vector<Lacks> lacks_;  ///< The lacks that each verdict below `feasible` stands for.
    /// The number of servers with each verdict below `feasible`.
    std::array<std::uint32_t, feasible> servers_with_{};
    std::uint32_t feasible_count_ = 0;
    std::uint64_t servers_scored_ = 0;
};

}  // namespace berth::core
