#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/index/pod_index.hpp"
#include "core/index/server_rule.hpp"
#include "core/ledger/ledger.hpp"
#include "core/support/violation.hpp"
#include "sim/clock/window.hpp"
#include "sim/cluster/inside/lack.hpp"
#include "sim/cluster/inside/plugins.hpp"
#include "sim/job/grant.hpp"
#include "sim/job/job.hpp"

namespace berth::sim {

class Fingerprint;
class Meter;

/// What servers hold besides amounts, and which pod has what of it: their devices one by one, the
/// thousandths of each GPU, their resource providers, or nothing. It goes with a ledger, which
/// counts the amounts. Callers never ask which of these kinds it is.
class Inside {
public:
    Inside() = default;
    virtual ~Inside() = default;
    Inside& operator=(const Inside&) = delete;

    /// The rule that decides, besides amounts, where pods of the job fit; nullptr if they ask for
    /// nothing in here. Its address is stable.
    [[nodiscard]] virtual const core::ServerRule* rule(const Job& job) = 0;
    /// Gives a pod on a server what its rule says is there. `before` pods like it are also on their
    /// way to the server, and the ledger has not counted their amounts yet.
    [[nodiscard]] virtual Grant take(const Job& job,
                                     core::ServerId server,
                                     core::Members before) = 0;
    virtual void give_back(core::ServerId server, const Grant& grant) = 0;
    /// Whether the server could serve a pod that has a rule if the pods with `grants` were gone.
    [[nodiscard]] virtual bool serves_without(const Job& job,
                                              core::ServerId server,
                                              std::span<const Grant> grants) = 0;
    /// Amounts of a grant that the ledger counts although the job's demand leaves them out; empty
    /// if there are none.
    [[nodiscard]] virtual std::span<const core::Amount> beside(const Grant& /*grant*/) const {
        return {};
    }
    /// How many of the members on these servers can be served together, given that each server
    /// alone has room for its own members.
    [[nodiscard]] virtual core::Members servable(const Job& job,
                                                 std::span<const core::PlacedNode> servers);
    /// Catches up with the ledger. To be called when nothing is half done: exactly the pods that
    /// hold a grant have their demand in the ledger.
    virtual void catch_up() {}
    /// The server leaves the cluster, with no pod of this run on it, or comes (back).
    virtual void leave(core::ServerId /*server*/) {}
    virtual void join(core::ServerId /*server*/) {}

    /// Whether servers share something, so that what is given back on one helps on another.
    [[nodiscard]] virtual bool has_shared() const { return false; }
    /// Whether the ledger knows all of it, so that servers can be added to a copy.
    [[nodiscard]] virtual bool is_in_ledger() const = 0;
    /// The index of servers for pods like this one, under a policy that the profile names instead
    /// of score plug-ins; nullptr if there is none. `also` may refuse servers, or be nullptr.
    [[nodiscard]] virtual std::unique_ptr<core::PodIndex> index(const Job& job,
                                                                const core::ServerRule* also);
    /// Approximate size of an index for each server, in bytes.
    [[nodiscard]] virtual std::size_t index_bytes() const { return 48; }

    /// What a server lacks if it has the amounts for a pod but its rule refuses the pod.
    [[nodiscard]] virtual Lack lack(const Job& job) const = 0;
    /// The same in words, for one server.
    [[nodiscard]] virtual std::string why_not(const Job& job, core::ServerId server) = 0;
    /// The same for several servers: what follows "3 node(s) ".
    [[nodiscard]] virtual std::string_view refusal() const = 0;

    // The following is for plans of what will be taken when. A place is a server, by its number;
    // the numbers after the servers are for what servers share.

    /// What is taken at a place, in numbers that only the implementation understands; empty if
    /// nothing is taken.
    using Taken = std::vector<core::Amount>;
    [[nodiscard]] virtual std::uint32_t places() const { return 0; }
    [[nodiscard]] virtual Taken taken(std::uint32_t /*place*/) const { return {}; }
    /// The places where a pod on this server takes something with this grant.
    [[nodiscard]] virtual std::vector<std::uint32_t> places_of(core::ServerId server,
                                                               const Grant& /*grant*/) const {
        return {server.index};
    }
    /// Whether everything that a grant takes at a place is free.
    [[nodiscard]] virtual bool is_free(std::uint32_t /*place*/,
                                       const Grant& /*grant*/,
                                       const Taken& /*taken*/) const {
        return true;
    }
    /// put_in() adds what a grant takes at a place to `taken`, as far as it is there; take_out()
    /// removes it again.
    virtual void put_in(std::uint32_t /*place*/, const Grant& /*grant*/, Taken& /*taken*/) const {}
    virtual void take_out(std::uint32_t /*place*/, const Grant& /*grant*/, Taken& /*taken*/) const {
    }
    /// Adds all that is taken in `other` to `taken`; of what is taken in both, the larger amount
    /// counts.
    virtual void put_in_either(std::uint32_t place, const Taken& other, Taken& taken) const;
    /// An instance for plans, over a copy of the ledger, that knows only what it is shown. Grants
    /// of either are valid in the other.
    [[nodiscard]] virtual std::unique_ptr<Inside> plan_over(core::Ledger& copy) const = 0;
    /// For such an instance: from now on, `taken` is taken at a place, by no particular pod.
    virtual void show(std::uint32_t /*place*/, const Taken& /*taken*/) {}
    /// Takes what a plan has found for a pod. Errors: aborts if it is not free.
    [[nodiscard]] virtual Grant take_planned(core::ServerId server, const Grant& grant) = 0;

    /// A copy over a copy of the ledger, in which the same pods hold the same; afterwards the two
    /// change independently.
    /// Returns: nullptr if no copy can be made.
    [[nodiscard]] virtual std::unique_ptr<Inside> copy_over(core::Ledger& copy) const = 0;
    /// Compares what is kept besides what is taken at each place (counts and indexes) with a fresh
    /// computation.
    [[nodiscard]] virtual std::optional<core::Violation> find_violation() { return std::nullopt; }
    /// Folds a grant into the fingerprint, which tells two runs apart.
    virtual void fold(const Grant& grant, Fingerprint& into) const = 0;
    /// The meter of what a run measures here; nullptr if it measures nothing. This object outlives
    /// the meter.
    [[nodiscard]] virtual std::unique_ptr<Meter> meter(Window window);

protected:
    Inside(const Inside&) = default;
};

/// Makes what the profile's plug-ins ask for inside servers; sim/cluster/inside/insides.def lists
/// the kinds, one line for each folder. `ledger` outlives it.
[[nodiscard]] std::unique_ptr<Inside> make_inside(core::Ledger& ledger,
                                                  const InsidePlugins& plugins);

/// Names of what the meter of such an Inside samples, in their order.
[[nodiscard]] std::vector<std::string> sampled_inside(const core::Topology& tree,
                                                      const InsidePlugins& plugins);

}  // namespace berth::sim
