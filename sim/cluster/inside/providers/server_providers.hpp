#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/index/server_rule.hpp"
#include "core/ledger/ledger.hpp"
#include "core/machine_views/provider_forest_view.hpp"
#include "core/machine_views/provider_terms.hpp"
#include "core/machine_views/provider_view.hpp"
#include "sim/cluster/inside/inside.hpp"
#include "sim/cluster/inside/plugins.hpp"
#include "sim/job/job.hpp"

namespace berth::sim {

/// What one pod has of providers: the allocation candidate that it took.
struct ProviderUse {
    struct Part {
        core::ProviderIndex provider = 0;
        core::ClassIndex type = 0;
        core::Amount amount = 0;
    };
    const core::ProviderForest* forest = nullptr;
    std::vector<Part> parts;  ///< Each provider and class occurs once, in the order of the
                              ///< providers.
    /// What the ledger counts of this use, in the order of the schema, although the pod's demand
    /// leaves it out, because a shared provider might have served it instead. Empty: nothing.
    std::vector<core::Amount> beside;
};

/// The capacity of all shared providers for one resource class, and what pods took of it.
struct SharedUse {
    std::string resource_class;
    core::Amount capacity = 0;
    core::Amount used = 0;
};

/// The providers of a run, and which candidate each pod took. It goes with a ledger: for resource
/// classes that the ledger counts, what is in use is what the ledger has allocated on each server,
/// and the ledger's log says where to look. Which providers of a server this is taken from, and
/// what is in use of other classes, is kept here.
///
/// Cost:   a search in one server's tree for each server and shape whenever the server changes; for
///         groups, one search for each member that the server has room for.
/// Limits: at most 1 024 members of a group are counted on one server.
class ServerProviders final : public Inside {
public:
    /// What is already in use in the ledger is taken from the first providers of each server.
    ServerProviders(const core::Ledger& ledger, const CandidatePlugin& plugin);
    ~ServerProviders() override;
    ServerProviders(const ServerProviders&) = delete;
    ServerProviders& operator=(const ServerProviders&) = delete;

    /// The rule for pods of one shape. Its address is stable.
    [[nodiscard]] const core::ServerRule& rule(const PodQuery& pod);

    void catch_up() override;
    /// Gives a pod one of its candidates on a server on which its rule says that there is one.
    [[nodiscard]] ProviderGrant take(const PodQuery& pod, core::ServerId server);
    void give_back(core::ServerId server, const ProviderUse& use);
    /// How many members find a candidate, one after the other. Each server alone has enough for its
    /// members, but together they may be too many for what servers share.
    [[nodiscard]] core::Members servable(const PodQuery& pod,
                                         std::span<const core::PlacedNode> servers);
    /// Whether the server could serve the pod if the pods with `uses` were gone.
    [[nodiscard]] bool serves_without(const PodQuery& pod,
                                      core::ServerId server,
                                      std::span<const ProviderUse* const> uses);

    [[nodiscard]] const core::ServerRule* rule(const Job& job) override;
    [[nodiscard]] Grant take(const Job& job, core::ServerId server, core::Members before) override;
    void give_back(core::ServerId server, const Grant& grant) override;
    [[nodiscard]] bool serves_without(const Job& job,
                                      core::ServerId server,
                                      std::span<const Grant> grants) override;
    [[nodiscard]] std::span<const core::Amount> beside(const Grant& grant) const override;
    [[nodiscard]] core::Members servable(const Job& job,
                                         std::span<const core::PlacedNode> servers) override;
    [[nodiscard]] bool has_shared() const override { return !shared_.empty(); }
    [[nodiscard]] bool is_in_ledger() const override { return false; }
    [[nodiscard]] Lack lack(const Job& job) const override;
    [[nodiscard]] std::string why_not(const Job& job, core::ServerId server) override;
    [[nodiscard]] std::string_view refusal() const override;
    /// The trees of the forest: those of servers, then those of what servers share.
    [[nodiscard]] std::uint32_t places() const override { return forest_.tree_count(); }
    [[nodiscard]] Taken taken(std::uint32_t place) const override;
    [[nodiscard]] std::vector<std::uint32_t> places_of(core::ServerId server,
                                                       const Grant& grant) const override;
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

    [[nodiscard]] const core::ProviderForest& forest() const { return forest_; }
    /// Uses in the order of the classes' names.
    [[nodiscard]] const std::vector<SharedUse>& shared() const { return shared_; }

private:
    class Rule;
    using Parts = std::vector<ProviderUse::Part>;
    /// A resource class of a machine type, and the ledger's amounts that stand for it.
    struct ClassOfType {
        core::ClassIndex type = 0;
        std::vector<core::ProviderClass> amounts;
        bool counted = false;
    };
    void read_machine_types();
    void read_shared();
    [[nodiscard]] const Rule& rule_of(const PodQuery& pod);
    [[nodiscard]] core::Amount in_use(core::ServerId server, const ClassOfType& type) const;
    void follow_ledger(core::ServerId server);
    void fill(core::ServerId server, core::ClassIndex type, core::Amount units);
    void add(const Parts& parts, core::Amount sign);
    void add_and_tell(core::ServerId server, const Parts& parts, core::Amount sign);
    void tell_sharers(core::ProviderIndex provider,
                      core::ClassIndex type,
                      core::Amount before,
                      core::Amount after);
    [[nodiscard]] std::vector<core::Amount> beside(core::ServerId server, const Parts& parts) const;
    template <class Visit>
    void visit_rows(std::uint32_t place, Visit visit) const;
    void add_in_plan(std::uint32_t place, const Parts& parts, core::Amount sign, Taken& into) const;

    const core::Ledger& ledger_;
    const core::Topology& topology_;
    const CandidatePlugin& plugin_;
    bool plans_ = false;  ///< Whether it follows what it is shown, and not the ledger.
    CandidateChoice choice_;
    core::ProviderTerms terms_;
    core::ProviderForest forest_;
    core::ChangeReader changes_;
    std::vector<std::vector<ClassOfType>> classes_;  ///< The resource classes of each machine type.
    std::vector<std::uint32_t> pods_on_;             ///< Number of pods with a grant, by server.
    std::vector<SharedUse> shared_;
    std::vector<std::size_t> shared_of_class_;  ///< Index into shared_ for each class.
    std::map<std::string, std::unique_ptr<Rule>, std::less<>> rules_;  ///< One rule per query text.
};

}  // namespace berth::sim
