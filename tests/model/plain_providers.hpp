#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/allocation_candidates/candidate_query.hpp"
#include "core/tree/topology.hpp"
#include "sim/cluster/inside/plugins.hpp"
#include "sim/job/job.hpp"
#include "tests/model/plain_grant.hpp"

namespace berth::tests {

/// The index of ephemeral-storage in the schema of a case with providers: it follows the GPUs.
inline constexpr std::size_t disk_resource = 3;
inline constexpr core::Amount vcpu = 1000;
inline constexpr core::Amount mebibyte = 1 << 20;
inline constexpr core::Amount gibibyte = 1 << 30;

/// One resource provider; docs/reference/topology.md says which ones a server has.
struct PlainProvider {
    std::string name;
    std::string uuid;
    /// Number of its server; shared providers have numbers of their own after those.
    std::uint32_t tree = 0;
    std::optional<std::size_t> parent;  ///< Absent: a root.
    bool shared = false;                ///< Whether it shares within its aggregates.
    std::set<std::string> traits;
    std::set<std::string> aggregates;
};

/// The inventory of one resource class of a provider.
struct PlainInventory {
    std::size_t provider = 0;
    std::string resource_class;
    core::ProviderInventory limits;

    [[nodiscard]] core::Amount capacity() const {
        return static_cast<core::Amount>(static_cast<double>(limits.total - limits.reserved) *
                                         limits.allocation_ratio);
    }
};

/// All providers of a cluster: those of each server, with a parent before its children and
/// everything below it before its next sibling; then the shared ones.
struct PlainForest {
    std::vector<PlainProvider> providers;
    std::vector<PlainInventory> inventories;

    [[nodiscard]] std::optional<std::size_t> inventory(std::size_t provider,
                                                       const std::string& resource_class) const;
};

[[nodiscard]] PlainForest plain_forest(const core::Topology& tree);

/// The candidates of a query at a server, in the order in which they are found, if `used` is in use
/// of each inventory. A candidate states, for each part of the query, what it takes of one
/// inventory.
[[nodiscard]] std::vector<PlainGrant> plain_candidates(const PlainForest& forest,
                                                       const std::vector<core::Amount>& used,
                                                       const core::CandidateQuery& query,
                                                       std::uint32_t server,
                                                       std::size_t most);

/// The providers of all servers of a run in which pods take allocation candidates. The device
/// number of a share in a grant is the number of an inventory.
class PlainProviders {
public:
    PlainProviders() = default;
    /// `outside`: amounts in use before the run, by server and resource.
    PlainProviders(const core::Topology& tree,
                   sim::CandidateChoice choice,
                   const std::vector<std::vector<core::Amount>>& outside);

    /// What a pod would get; absent: it has no candidate there.
    [[nodiscard]] std::optional<PlainGrant> choose(const sim::Job& job, std::uint32_t server) const;
    /// For how many pods of the job, one after the other, there are candidates; at most `most`.
    [[nodiscard]] core::Members fit(const sim::Job& job,
                                    std::uint32_t server,
                                    core::Members most) const;
    [[nodiscard]] bool is_free(const PlainGrant& grant) const;
    void take(const PlainGrant& grant) { add(grant, 1); }
    void give_back(const PlainGrant& grant) { add(grant, -1); }
    /// Takes whatever is taken in either of two plans.
    void join(const PlainProviders& other);
    /// Whether what one server takes may be missing on another server.
    [[nodiscard]] bool any_shared() const;
    /// Amounts of a server that count as used although the pod's demand leaves them out, because a
    /// shared provider might have served them.
    [[nodiscard]] std::vector<core::Amount> beside(std::uint32_t server,
                                                   const PlainGrant& grant) const;
    [[nodiscard]] const PlainForest& forest() const { return *forest_; }

private:
    void add(const PlainGrant& grant, core::Amount sign);
    void occupy(std::uint32_t server, const std::vector<core::Amount>& outside);
    [[nodiscard]] std::int64_t fullness(const PlainGrant& candidate) const;

    std::shared_ptr<const PlainForest> forest_;
    sim::CandidateChoice choice_ = sim::CandidateChoice::first;
    std::uint32_t servers_ = 0;
    std::size_t resources_ = 0;
    std::vector<core::Amount> used_;  ///< Usage by inventory.
};

}  // namespace berth::tests
