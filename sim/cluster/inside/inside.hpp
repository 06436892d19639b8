#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/index/pod_index.hpp"
#include "core/index/server_rule.hpp"
#include "core/ledger/ledger.hpp"
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
/// counts the amounts. Nobody who has one asks which of these it is.
class Inside {
public:
    Inside() = default;
    virtual ~Inside() = default;
    Inside& operator=(const Inside&) = delete;

    /// Decides besides amounts where pods of the job fit; nullptr: they ask for nothing in here. It
    /// stays where it is.
    [[nodiscard]] virtual const core::ServerRule* rule(const Job& job) = 0;
    /// Gives a pod on a server what its rule says there is. `before` pods like it are on their way
    /// to the server too, and the ledger has not counted their amounts yet.
    [[nodiscard]] virtual Grant take(const Job& job,
                                     core::ServerId server,
                                     core::Members before) = 0;
    virtual void give_back(core::ServerId server, const Grant& grant) = 0;
    /// Whether the server could serve a pod that has a rule if those who have `grants` were gone.
    [[nodiscard]] virtual bool serves_without(const Job& job,
                                              core::ServerId server,
                                              std::span<const Grant> grants) = 0;
    /// Amounts that the ledger counts of a grant and the job's demand leaves out; empty: none.
    [[nodiscard]] virtual std::span<const core::Amount> beside(const Grant& /*grant*/) const {
        return {};
    }
    /// How many of the members on these servers can be served together, where each server for
    /// itself has room for its own.
    [[nodiscard]] virtual core::Members servable(const Job& job,
                                                 std::span<const core::PlacedNode> servers);
    /// Brings what follows the ledger up to it. Call when nothing is half done: every pod that
    /// holds a grant has its demand in the ledger, and no other.
    virtual void catch_up() {}
    /// The server leaves the cluster, with nobody of this run on it, or comes (back).
    virtual void leave(core::ServerId /*server*/) {}
    virtual void join(core::ServerId /*server*/) {}

    /// Whether servers share something, so that what is given back on one helps on another.
    [[nodiscard]] virtual bool has_shared() const { return false; }
    /// Whether the ledger knows all of it, so that servers can be added to a copy.
    [[nodiscard]] virtual bool is_in_ledger() const = 0;
    /// The servers for pods like this one by a policy of its own, which the profile names in the
    /// place of score plug-ins; nullptr: it has none. `also` may refuse servers, or be nullptr.
    [[nodiscard]] virtual std::unique_ptr<core::PodIndex> index(const Job& job,
                                                                const core::ServerRule* also);
    /// Bytes of an index for each server, roughly.
    [[nodiscard]] virtual std::size_t index_bytes() const { return 48; }

    /// What a server lacks that has the amounts for a pod, and whose rule refuses it.
    [[nodiscard]] virtual Lack lack(const Job& job) const = 0;
    /// The same in words, of one server.
    [[nodiscard]] virtual std::string why_not(const Job& job, core::ServerId server) = 0;
    /// The same of several: what follows upon "3 node(s) ".
    [[nodiscard]] virtual std::string_view refusal() const = 0;

    // For plans of what will be taken when. A place is a server, by its number, or behind the
    // servers something that they share.

    /// What is taken at a place, in numbers whose meaning it alone knows; empty: there is nothing.
    using Taken = std::vector<core::Amount>;
    [[nodiscard]] virtual std::uint32_t places() const { return 0; }
    [[nodiscard]] virtual Taken taken(std::uint32_t /*place*/) const { return {}; }
    /// Where a pod on a server with this grant takes something.
    [[nodiscard]] virtual std::vector<std::uint32_t> places_of(core::ServerId server,
                                                               const Grant& /*grant*/) const {
        return {server.index};
    }
    /// Whether all is free that a grant takes at a place.
    [[nodiscard]] virtual bool is_free(std::uint32_t /*place*/,
                                       const Grant& /*grant*/,
                                       const Taken& /*taken*/) const {
        return true;
    }
    /// With what a grant takes at a place, as much of it as there is; and without it again.
    virtual void put_in(std::uint32_t /*place*/, const Grant& /*grant*/, Taken& /*taken*/) const {}
    virtual void take_out(std::uint32_t /*place*/, const Grant& /*grant*/, Taken& /*taken*/) const {
    }
    /// With all that is taken in the other too; what is taken in both, as in the one where it is
    /// more.
    virtual void put_in_either(std::uint32_t place, const Taken& other, Taken& taken) const;
    /// One that knows nothing but what it is shown, over a copy of the ledger. Their grants are
    /// each other's.
    [[nodiscard]] virtual std::unique_ptr<Inside> plan_over(core::Ledger& copy) const = 0;
    /// Of such a one: from now on this is taken at a place, and by nobody.
    virtual void show(std::uint32_t /*place*/, const Taken& /*taken*/) {}
    /// Takes for a pod what a plan has found for it. Errors: what is not free aborts.
    [[nodiscard]] virtual Grant take_planned(core::ServerId server, const Grant& grant) = 0;

    /// The same, held by the same pods, over a copy of the ledger; the two go their own ways.
    /// Returns: nullptr where no copy can be made.
    [[nodiscard]] virtual std::unique_ptr<Inside> copy_over(core::Ledger& copy) const = 0;
    /// Folds a grant into what tells two runs apart.
    virtual void fold(const Grant& grant, Fingerprint& into) const = 0;
    /// What a run measures of it; nullptr: nothing. This outlives the meter.
    [[nodiscard]] virtual std::unique_ptr<Meter> meter(Window window);

protected:
    Inside(const Inside&) = default;
};

/// What the profile's plug-ins ask for inside servers: sim/cluster/inside/insides.def, one line a
/// folder. The ledger outlives it.
[[nodiscard]] std::unique_ptr<Inside> make_inside(core::Ledger& ledger,
                                                  const InsidePlugins& plugins);

/// Names of what its meter samples, in their order.
[[nodiscard]] std::vector<std::string> sampled_inside(const core::Topology& tree,
                                                      const InsidePlugins& plugins);

}  // namespace berth::sim
