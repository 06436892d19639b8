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
/// A resource class is counted if one unit of it is always the same amount of one resource: VCPU is
/// 1000 milli-CPU, PGPU is a GPU. What pods take of such classes on a server is what the ledger has
/// allocated there. Virtual functions are not counted: a device has several, and how many depends
/// on the machine.
class ProviderTerms {
public:
    explicit ProviderTerms(const Topology& tree);

    struct Counted {
        std::size_t resource = 0;  ///< The number of the resource in the schema.
        Amount amount = 0;         ///< The amount of the resource in one unit of the class.
        bool devices = false;
        bool shared = false;  ///< Shared providers may have some of it, too.
    };
    /// The counted class of this name; nothing for a class that is not counted.
    [[nodiscard]] const Counted* counted(std::string_view resource_class) const;

    /// Whether some resource class stands for the resource.
    [[nodiscard]] bool has_class(std::size_t resource) const {
        return resources_.contains(resource);
    }

    /// What a pod with this query takes of its server's amounts, by the schema, whichever candidate
    /// it gets. Resources that a shared provider may serve instead are left out.
    /// Returns: nothing if the sum does not fit into an Amount.
    [[nodiscard]] std::optional<std::vector<Amount>> demand(const CandidateQuery& query) const;

    /// The request of a pod that states only amounts.
    struct Asked {
        std::string query;           ///< Empty: it asks for nothing that a provider has.
        std::vector<Amount> demand;  ///< The same as demand(), plus amounts without a class.
    };
    /// No query can ask for this amount of the resource; `expected` says what a query can ask for.
    struct NoQuery {
        std::size_t resource = 0;
        std::string_view expected;
    };
    /// The query for amounts: CPUs, memory and disk come from any providers of the server, and each
    /// device from a provider of its own.
    [[nodiscard]] std::variant<Asked, NoQuery> query_for(std::span<const Amount> amounts) const;

    /// A name in a query that is not known. Resource classes are checked first, then traits.
    struct Unknown {
        std::string_view what;  ///< `resource class` or `trait`
        std::string name;
        std::vector<std::string> known;  ///< The known names of that kind.
    };
    [[nodiscard]] std::optional<Unknown> unknown(const CandidateQuery& query) const;

private:
    std::size_t resource_count_;
    Amount devices_max_ = 0;  ///< The greatest number of devices of one kind in a machine.
    std::map<std::string, Counted, std::less<>> counted_;
    std::set<std::size_t> resources_;  ///< The resources that have a class.
    std::set<std::size_t> uncounted_;  ///< The ones of these that have no counted class.
    std::set<std::string, std::less<>> classes_;
    std::set<std::string, std::less<>> traits_;
};

}  // namespace berth::core
