// The devices that one pod gets on one machine: by first-fit, and by joint allocation under its
// documented rules, with its greedy and its exact solver. If a joint allocation has to be the best
// of all, all are tried.

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <tuple>

#include "tests/model/plain_devices.hpp"

namespace berth::tests {
namespace {

using core::Amount;
using core::TopologyScope;

constexpr Amount whole = 100;
using Numbers = std::vector<std::size_t>;  ///< Numbers of devices of one kind.

/// A number of devices, and hundredths of each.
struct Asked {
    std::size_t count = 0;
    Amount each = 0;
};

Asked asked_of(const core::PodDevices& pod, const char* resource) {
    const auto found = pod.pod.requests.find(resource);
    const Amount amount = found == pod.pod.requests.end() ? 0 : found->second;
    return amount > whole ? Asked{static_cast<std::size_t>(amount / whole), whole}
                          : Asked{amount > 0 ? std::size_t{1} : 0, amount};
}

class Choice {
public:
    Choice(const core::PodDevices& pod, const PlainMachine& machine, bool exact)
        : machine_(machine),
          exact_(exact),
          scope_(pod.pod.hints[core::DeviceType::gpu].required_scope) {
        const auto whole_gpus = pod.pod.requests.find("nvidia.com/gpu");
        gpus_ = whole_gpus != pod.pod.requests.end()
                    ? Asked{static_cast<std::size_t>(whole_gpus->second), whole}
                    : asked_of(pod, "koordinator.sh/gpu");
        nics_ = asked_of(pod, "koordinator.sh/rdma");
        if (pod.pod.joint && gpus_.count > 0 && nics_.count > 0) {
            for (const core::DeviceType type : pod.pod.joint->types) {
                joint_.push_back(type == core::DeviceType::rdma);
            }
            same_pcie_ = pod.pod.joint->same_pcie;
        }
    }

    [[nodiscard]] std::optional<PlainGrant> first_fit() const {
        return grant(lowest(usable(false), gpus_.count), lowest(usable(true), nics_.count));
    }

    [[nodiscard]] std::optional<PlainGrant> documented() const {
        if (joint_.size() < 2) {
            return grant(gpus(usable(false)), lowest(usable(true), nics_.count));
        }
        if (joint_.front()) {
            return led_by_nics();
        }
        return exact_ ? best_led_by_gpus() : led_by_gpus();
    }

private:
    [[nodiscard]] const std::vector<PlainDevice>& devices(bool nics) const {
        return nics ? machine_.nics : machine_.gpus;
    }
    [[nodiscard]] const Asked& asked(bool nics) const { return nics ? nics_ : gpus_; }

    [[nodiscard]] std::optional<PlainGrant> grant(const std::optional<Numbers>& gpus,
                                                  const std::optional<Numbers>& nics) const {
        if (!gpus || !nics) {
            return std::nullopt;
        }
        PlainGrant grant;
        for (const std::size_t gpu : *gpus) {
            grant.push_back({gpu, gpus_.each, false});
        }
        for (const std::size_t nic : *nics) {
            grant.push_back({nic, nics_.each, true});
        }
        return grant;
    }

    /// Devices with enough free for what the pod asks of each.
    [[nodiscard]] Numbers usable(bool nics) const {
        Numbers out;
        for (std::size_t i = 0; i < devices(nics).size(); ++i) {
            if (devices(nics)[i].used + asked(nics).each <= whole) {
                out.push_back(i);
            }
        }
        return out;
    }
    [[nodiscard]] static std::optional<Numbers> lowest(const Numbers& of, std::size_t count) {
        if (of.size() < count) {
            return std::nullopt;
        }
        return Numbers(of.begin(), of.begin() + static_cast<std::ptrdiff_t>(count));
    }
    [[nodiscard]] std::set<PlainSwitch> switches(bool nics, const Numbers& of) const {
        std::set<PlainSwitch> out;
        for (const std::size_t i : of) {
            out.insert(devices(nics)[i].at);
        }
        return out;
    }
    [[nodiscard]] Numbers on(bool nics, const Numbers& of, const std::set<PlainSwitch>& at) const {
        Numbers out;
        std::ranges::copy_if(of, std::back_inserter(out), [&](std::size_t i) {
            return at.contains(devices(nics)[i].at);
        });
        return out;
    }
    static std::set<std::int64_t> numa_nodes(const std::set<PlainSwitch>& switches) {
        std::set<std::int64_t> out;
        for (const PlainSwitch& at : switches) {
            out.insert(at.numa);
        }
        return out;
    }

    /// The smallest scope that contains these GPUs.
    [[nodiscard]] TopologyScope scope_of(const Numbers& gpus) const {
        const std::set<PlainSwitch> at = switches(false, gpus);
        return at.size() <= 1               ? TopologyScope::pcie
               : numa_nodes(at).size() <= 1 ? TopologyScope::numa_node
                                            : TopologyScope::machine;
    }
    [[nodiscard]] bool meets_scope(const Numbers& gpus) const {
        return scope_ == TopologyScope::device ? gpus.size() == 1 : scope_of(gpus) >= scope_;
    }

    /// Chooses GPUs by themselves, among the allowed ones.
    [[nodiscard]] std::optional<Numbers> gpus(const Numbers& allowed) const {
        if (gpus_.count == 0) {
            return Numbers();
        }
        return exact_ ? best_gpus(allowed) : tightest_gpus(allowed);
    }

    struct Place {
        TopologyScope scope = TopologyScope::machine;
        int in_use = 0;  ///< How many of this place and the places around it are in use.
        Numbers gpus;
    };
    /// The GPUs of the tightest place that has enough; among equals, the one with more places in
    /// use around it, then the first.
    [[nodiscard]] std::optional<Numbers> tightest_gpus(const Numbers& allowed) const {
        std::optional<Place> best;
        for (const Place& place : places()) {
            Numbers here;
            std::ranges::set_intersection(place.gpus, allowed, std::back_inserter(here));
            const bool tight_enough =
                scope_ == TopologyScope::device ? gpus_.count == 1 : place.scope >= scope_;
            const bool better = !best || std::pair(place.scope, place.in_use) >
                                             std::pair(best->scope, best->in_use);
            if (here.size() >= gpus_.count && tight_enough && better) {
                best = place;
                best->gpus = here;
            }
        }
        return best ? std::optional(on_fewest_switches(best->gpus)) : std::nullopt;
    }
    /// The machine, its NUMA nodes and its switches, each with all of its GPUs.
    [[nodiscard]] std::vector<Place> places() const {
        Place machine{TopologyScope::machine, 0, {}};
        std::map<std::int64_t, Place> nodes;
        std::map<PlainSwitch, Place> switches;
        for (std::size_t i = 0; i < machine_.gpus.size(); ++i) {
            const PlainSwitch at = machine_.gpus[i].at;
            for (Place* place : {&machine, &nodes[at.numa], &switches[at]}) {
                place->gpus.push_back(i);
                place->in_use = std::max(place->in_use, machine_.gpus[i].used > 0 ? 1 : 0);
            }
        }
        std::vector<Place> out{machine};
        for (auto& [numa, node] : nodes) {
            node.scope = TopologyScope::numa_node;
            node.in_use += machine.in_use;
            out.push_back(node);
        }
        for (auto& [at, here] : switches) {
            here.scope = TopologyScope::pcie;
            here.in_use += nodes[at.numa].in_use;
            out.push_back(here);
        }
        return out;
    }
    /// Takes all GPUs of the switches with the most, and the rest from the switch with the fewest
    /// that suffice; among equals, from one in use, then from the lowest numbers.
    [[nodiscard]] Numbers on_fewest_switches(Numbers usable) const {
        Numbers chosen;
        while (chosen.size() < gpus_.count) {
            const std::size_t left = gpus_.count - chosen.size();
            using Rank = std::tuple<bool, std::ptrdiff_t, bool, std::ptrdiff_t>;
            std::optional<std::pair<Rank, Numbers>> best;
            for (const PlainSwitch& at : switches(false, usable)) {
                const Numbers here = on(false, usable, {at});
                const bool enough = here.size() >= left;
                const bool in_use = std::ranges::any_of(machine_.gpus, [&](const PlainDevice& gpu) {
                    return gpu.at == at && gpu.used > 0;
                });
                const Rank rank{enough,
                                enough ? -std::ssize(here) : std::ssize(here),
                                in_use,
                                -static_cast<std::ptrdiff_t>(here.front())};
                if (!best || rank > best->first) {
                    best.emplace(rank, here);
                }
            }
            for (const std::size_t gpu : best->second) {
                if (chosen.size() < gpus_.count) {
                    chosen.push_back(gpu);
                }
                std::erase(usable, gpu);
            }
        }
        return chosen;
    }

    /// NICs beside GPUs: one for each switch that has one, more only if asked for; the rest from
    /// the same NUMA nodes, then from any.
    [[nodiscard]] std::optional<Numbers> nics_beside(const Numbers& gpus) const {
        const std::set<PlainSwitch> at = switches(false, gpus);
        const std::size_t served = switches(true, on(true, usable(true), at)).size();
        const std::size_t least = same_pcie_ ? std::max(nics_.count, at.size()) : nics_.count;
        const Numbers order = near(true, at);
        if (order.size() < least) {
            return std::nullopt;
        }
        Numbers chosen = *lowest(order, std::min(order.size(), std::max(least, served)));
        return !same_pcie_ || switches(true, chosen) == at ? std::optional(chosen) : std::nullopt;
    }
    /// Usable devices in order: the first of each of these switches, the second of each and so on;
    /// then others of their NUMA nodes, then the rest.
    [[nodiscard]] Numbers near(bool nics, const std::set<PlainSwitch>& at) const {
        const std::set<std::int64_t> nodes = numa_nodes(at);
        std::map<PlainSwitch, int> seen;
        std::vector<std::tuple<int, int, std::size_t>> order;
        for (const std::size_t i : usable(nics)) {
            const PlainSwitch here = devices(nics)[i].at;
            const int stage = at.contains(here) ? 0 : nodes.contains(here.numa) ? 1 : 2;
            order.emplace_back(stage, stage == 0 ? seen[here]++ : 0, i);
        }
        std::ranges::sort(order);
        Numbers out;
        for (const auto& entry : order) {
            out.push_back(std::get<2>(entry));
        }
        return out;
    }

    [[nodiscard]] std::optional<PlainGrant> led_by_gpus() const {
        const Numbers beside_nics = on(false, usable(false), switches(true, usable(true)));
        const auto leaders = gpus(same_pcie_ ? beside_nics : usable(false));
        return leaders ? grant(leaders, nics_beside(*leaders)) : std::nullopt;
    }

    [[nodiscard]] std::optional<PlainGrant> led_by_nics() const {
        const Numbers beside_gpus = on(true, usable(true), switches(false, usable(false)));
        const auto leaders = lowest(same_pcie_ ? beside_gpus : usable(true), nics_.count);
        if (!leaders) {
            return std::nullopt;
        }
        const std::set<PlainSwitch> at = switches(true, *leaders);
        std::optional<Numbers> found = lowest(near(false, at), gpus_.count);
        if (!found || !meets_scope(*found)) {
            found = gpus(on(false, usable(false), at));
            Numbers same_nodes;
            std::ranges::copy_if(usable(false), std::back_inserter(same_nodes), [&](std::size_t i) {
                return numa_nodes(at).contains(machine_.gpus[i].at.numa);
            });
            found = found ? found : gpus(same_nodes);
            found = found ? found : gpus(usable(false));
        }
        const bool violates = found && same_pcie_ && switches(false, *found) != at;
        return violates ? std::nullopt : grant(found, leaders);
    }

    /// The criteria between sets of GPUs, smaller first: the scope, the share of switches without a
    /// NIC of the pod, NICs on other NUMA nodes, switches, and GPUs of so far unused NUMA nodes and
    /// switches; then the lowest numbers.
    using Figures =
        std::tuple<int, double, std::size_t, std::size_t, std::size_t, std::size_t, Numbers>;
    [[nodiscard]] Figures figures(const Numbers& gpus, const Numbers* nics) const {
        const std::set<PlainSwitch> at = switches(false, gpus);
        const std::set<std::int64_t> nodes = numa_nodes(at);
        std::size_t bare = 0;
        std::size_t far = 0;
        if (nics != nullptr) {
            const std::set<PlainSwitch> with_nics = switches(true, *nics);
            bare = static_cast<std::size_t>(std::ranges::count_if(
                at, [&](const PlainSwitch& one) { return !with_nics.contains(one); }));
            far = static_cast<std::size_t>(std::ranges::count_if(*nics, [&](std::size_t nic) {
                return !nodes.contains(machine_.nics[nic].at.numa);
            }));
        }
        std::size_t new_of_nodes = 0;
        for (const std::int64_t numa : nodes) {
            new_of_nodes += size_if_new([&](const PlainSwitch& one) { return one.numa == numa; });
        }
        std::size_t new_of_switches = 0;
        for (const PlainSwitch& own : at) {
            new_of_switches += size_if_new([&](const PlainSwitch& one) { return one == own; });
        }
        return {-static_cast<int>(scope_of(gpus)),
                static_cast<double>(bare) / static_cast<double>(at.size()),
                far,
                at.size(),
                new_of_nodes,
                new_of_switches,
                gpus};
    }
    template <class Inside>
    [[nodiscard]] std::size_t size_if_new(Inside inside) const {
        std::size_t size = 0;
        for (const PlainDevice& gpu : machine_.gpus) {
            if (inside(gpu.at) && gpu.used > 0) {
                return 0;
            }
            size += inside(gpu.at) ? 1 : 0;
        }
        return size;
    }

    /// All ways to choose `count` of them.
    [[nodiscard]] static std::vector<Numbers> ways(const Numbers& of, std::size_t count) {
        std::vector<Numbers> out;
        for (std::size_t mask = 0; mask < (std::size_t{1} << of.size()); ++mask) {
            Numbers way;
            for (std::size_t i = 0; i < of.size(); ++i) {
                if ((mask >> i & 1) != 0) {
                    way.push_back(of[i]);
                }
            }
            if (way.size() == count) {
                out.push_back(way);
            }
        }
        return out;
    }
    [[nodiscard]] std::optional<Numbers> best_gpus(const Numbers& allowed) const {
        std::optional<Figures> best;
        for (const Numbers& way : ways(allowed, gpus_.count)) {
            if (meets_scope(way)) {
                const Figures here = figures(way, nullptr);
                best = std::min(best.value_or(here), here);
            }
        }
        return best ? std::optional(std::get<Numbers>(*best)) : std::nullopt;
    }
    [[nodiscard]] std::optional<PlainGrant> best_led_by_gpus() const {
        std::optional<std::pair<Figures, Numbers>> best;
        for (const Numbers& way : ways(usable(false), gpus_.count)) {
            const auto nics = nics_beside(way);
            if (nics && meets_scope(way)) {
                const std::pair here(figures(way, &*nics), *nics);
                best = std::min(best.value_or(here), here);
            }
        }
        return best ? grant(std::get<Numbers>(best->first), best->second) : std::nullopt;
    }

    const PlainMachine& machine_;
    bool exact_;
    TopologyScope scope_;
    Asked gpus_;
    Asked nics_;
    std::vector<bool> joint_;  ///< Types of a joint allocation, the leader first; true: NICs.
    bool same_pcie_ = false;
};

}  // namespace

std::optional<PlainGrant> choose_devices(const sim::DevicePlugin& plugin,
                                         const core::PodDevices& asked,
                                         const PlainMachine& machine) {
    const Choice choice(asked, machine, plugin.rules.exact);
    return plugin.allocator == "first-fit" ? choice.first_fit() : choice.documented();
}

}  // namespace berth::tests
