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

/// Where ephemeral-storage stands in the schema of a case with providers: behind GPUs.
inline constexpr std::size_t disk_resource = 3;
inline constexpr core::Amount vcpu = 1000;
inline constexpr core::Amount mebibyte = 1 << 20;
inline constexpr core::Amount gibibyte = 1 << 30;

/// One resource provider: docs/reference/topology.md tells which a server has.
struct PlainProvider {
    std::string name;
    std::string uuid;
    std::uint32_t tree = 0;             ///< The server's number; after those, one for each shared.
    std::optional<std::size_t> parent;  ///< Nothing: a root.
    bool shared = false;                ///< With all that have an aggregate in common with it.
    std::set<std::string> traits;
    std::set<std::string> aggregates;
};

/// What a provider has of one resource class.
struct PlainInventory {
    std::size_t provider = 0;
    std::string resource_class;
    core::ProviderInventory limits;

    [[nodiscard]] core::Amount capacity() const {
        return static_cast<core::Amount>(static_cast<double>(limits.total - limits.reserved) *
                                         limits.allocation_ratio);
    }
};

/// All providers of a cluster: those of each server, a parent before its children and all below it
/// before its next sibling; then the shared ones.
struct PlainForest {
    std::vector<PlainProvider> providers;
    std::vector<PlainInventory> inventories;

    [[nodiscard]] std::optional<std::size_t> inventory(std::size_t provider,
                                                       const std::string& resource_class) const;
};

[[nodiscard]] PlainForest plain_forest(const core::Topology& tree);

/// The candidates of a query at a server in the order in which they are found, with so much in use
/// of each inventory. A candidate has for each part of the query what it takes of one inventory.
[[nodiscard]] std::vector<PlainGrant> plain_candidates(const PlainForest& forest,
                                                       const std::vector<core::Amount>& used,
                                                       const core::CandidateQuery& query,
                                                       std::uint32_t server,
                                                       std::size_t most);

/// The providers of all servers of a run in which pods take allocation candidates. A share of a
/// grant is of an inventory, by its number.
class PlainProviders {
public:
    PlainProviders() = default;
    /// `outside`: in use before the run, by server and resource.
    PlainProviders(const core::Topology& tree,
                   sim::CandidateChoice choice,
                   const std::vector<std::vector<core::Amount>>& outside);

    /// What a pod would get; nothing: it has no candidate there.
    [[nodiscard]] std::optional<PlainGrant> choose(const sim::Job& job, std::uint32_t server) const;
    /// For how many pods of the job there are candidates, one after the other; at most `most`.
    [[nodiscard]] core::Members fit(const sim::Job& job,
                                    std::uint32_t server,
                                    core::Members most) const;
    [[nodiscard]] bool is_free(const PlainGrant& grant) const;
    void take(const PlainGrant& grant) { add(grant, 1); }
    void give_back(const PlainGrant& grant) { add(grant, -1); }
    /// Whatever is taken in one of two plans is taken.
    void join(const PlainProviders& other);
    /// Whether what one server takes may be missing on another.
    [[nodiscard]] bool any_shared() const;
    /// What counts as used of a server's amounts although the pod's demand leaves it out, because
    /// a shared provider might have served it.
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
    std::vector<core::Amount> used_;  ///< By inventory.
};

}  // namespace berth::tests
