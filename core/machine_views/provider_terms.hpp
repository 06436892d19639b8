#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/allocation_candidates/candidate_query.hpp"
#include "core/tree/topology.hpp"

namespace berth::core {

/// Translates between queries for allocation candidates and amounts of the ledger in one cluster.
///
/// A resource class is counted if one of it is always the same amount of one resource: VCPU is 1000
/// milli-CPU, PGPU is a GPU. What pods take of such classes on a server is what the ledger has
/// allocated there. Virtual functions are not counted: a device has several, and how many depends
/// on the machine.
class ProviderTerms {
public:
    explicit ProviderTerms(const Topology& tree);

    struct Counted {
        std::size_t resource = 0;  ///< By the schema.
        Amount amount = 0;         ///< Of it in one of the class.
        bool devices = false;
        bool shared = false;  ///< Shared providers may have some, too.
    };
    /// Nothing for a class that is not counted.
    [[nodiscard]] const Counted* counted(std::string_view resource_class) const;

    /// Whether some resource class is of the resource.
    [[nodiscard]] bool has_class(std::size_t resource) const {
        return resources_.contains(resource);
    }

    /// By the schema, what a pod with this query takes of its server's amounts, whichever candidate
    /// it gets. What a shared provider may serve instead is left out.
    /// Returns: nothing when the sum does not fit into an Amount.
    [[nodiscard]] std::optional<std::vector<Amount>> demand(const CandidateQuery& query) const;

    /// What a pod asks for if it states only amounts.
    struct Asked {
        std::string query;           ///< Empty: nothing that a provider has.
        std::vector<Amount> demand;  ///< As demand(), plus amounts without a class.
    };
    /// No query can ask for that much of this resource; `expected` says what one can ask for.
    struct NoQuery {
        std::size_t resource = 0;
        std::string_view expected;
    };
    /// The query for amounts: CPUs, memory and disk from any providers of the server, each device
    /// from a provider of its own.
    [[nodiscard]] std::variant<Asked, NoQuery> query_for(std::span<const Amount> amounts) const;

    /// Names in a query that are not known: first resource classes, then traits.
    struct Unknown {
        std::string_view what;  ///< `resource class` or `trait`
        std::string name;
        std::vector<std::string> known;  ///< Of that kind.
    };
    [[nodiscard]] std::optional<Unknown> unknown(const CandidateQuery& query) const;

private:
    std::size_t resource_count_;
    Amount devices_max_ = 0;  ///< Of one kind in a machine.
    std::map<std::string, Counted, std::less<>> counted_;
    std::set<std::size_t> resources_;  ///< Of which there is a class.
    std::set<std::size_t> uncounted_;  ///< Of those, the ones of which no class is counted.
    std::set<std::string, std::less<>> classes_;
    std::set<std::string, std::less<>> traits_;
};

}  // namespace berth::core
