#include "schedulers/kube/decide/device_claims.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "schedulers/kube/decide/cel.hpp"
#include "schedulers/kube/decide/device_selectors.hpp"

namespace berth::core::kube {
namespace {

/// How many pods may use a claim (ResourceClaimReservedForMaxSize).
constexpr std::size_t most_pods = 256;

/// Whether claims ask for the same, whatever their names are.
bool ask_alike(const ResourceClaim& a, const ResourceClaim& b) {
    return a.requests == b.requests && a.constraints == b.constraints &&
           a.configurations == b.configurations;
}

std::string name_of(const Pod& pod, const PodClaim& claim) {
    return claim.claim.empty() ? fmt::format("{}-{}", pod.name, claim.name) : claim.claim;
}

/// A claim as a search that found devices leaves it.
HeldClaim held_claim(const ResourceClaim& spec, const ClaimAllocation& allocation) {
    HeldClaim held;
    for (const TakenDevice& taken : allocation.devices) {
        const DeviceRequest& request = spec.requests[taken.request].alternatives[taken.alternative];
        held.devices.push_back({taken.slice->id_of(*taken.device),
                                taken.is_shared,
                                request.is_admin(),
                                taken.consumed});
    }
    if (allocation.nodes) {
        held.nodes.emplace().push_back({*allocation.nodes, ""});
    }
    return held;
}

/// The terms that select one node.
NodeTerms terms_of(const Node& node) {
    const NodeSelectorTerm term{{},
                                {{"metadata.name", LabelExpression::Operator::in, {node.name}}}};
    return {{term, ""}};
}

}  // namespace

Verdict AskedClaims::filter(const Node& node) const {
    if (!wanted_.empty()) {
        const DeviceAllocation& found = claims_->allocation_on(node, *this);
        if (found.is_fatal) {
            return {Code::error, {found.error}};
        }
        if (!found.claims) {
            return {Code::unresolvable,
                    {found.error.empty() ? "cannot allocate all claims" : found.error}};
        }
    }
    const bool is_available = std::ranges::all_of(held_, [&](const HeldClaim* held) {
        return !held->nodes || matches(*held->nodes, node.labels, node.name);
    });
    return is_available ? Verdict{} : Verdict{Code::unresolvable, {std::string(unavailable_claim)}};
}

std::int64_t AskedClaims::preference(const Node& node) const {
    constexpr std::int64_t most_alternatives = 8;
    const DeviceAllocation& found = claims_->allocation_on(node, *this);
    std::int64_t sum = 0;
    for (std::size_t i = 0; found.claims && i < wanted_.size(); ++i) {
        std::map<std::size_t, std::size_t> chosen;
        for (const TakenDevice& taken : (*found.claims)[i].devices) {
            chosen[taken.request] = taken.alternative;
        }
        for (const auto& [request, alternative] : chosen) {
            if (wanted_[i].as->requests[request].has_alternatives) {
                sum += most_alternatives - static_cast<std::int64_t>(alternative);
            }
        }
    }
    return sum;
}

bool AskedClaims::has_alternatives() const {
    return std::ranges::any_of(wanted_, [](const Wanted& wanted) {
        return std::ranges::any_of(wanted.as->requests, &ResourceClaim::Request::has_alternatives);
    });
}

DeviceClaims::DeviceClaims(std::shared_ptr<const DeviceInventory> inventory)
    : inventory_(std::move(inventory)), memory_(std::make_shared<SelectorMemory>()) {
    auto index = std::make_shared<Index>();
    index->slices = slices_of_pools(inventory_->catalog);
    for (const auto& [pool, slices] : index->slices) {
        const std::string& node = slices.front()->nodes.node_name.value_or("");
        const bool has_home = !node.empty() && std::ranges::all_of(slices, [&](const auto* slice) {
            return slice->nodes.node_name == node;
        });
        index->homes[pool] = has_home ? node : "";
        index->has_homes = index->has_homes && has_home;
    }
    std::vector<const ResourceClaim*> distinct;
    for (const auto* claims : {&inventory_->claims, &inventory_->templates}) {
        for (const auto& [name, claim] : *claims) {
            const auto same = std::ranges::find_if(
                distinct, [&](const ResourceClaim* other) { return ask_alike(*other, claim); });
            index->specs[&claim] = static_cast<std::size_t>(same - distinct.begin());
            if (same == distinct.end()) {
                distinct.push_back(&claim);
            }
        }
    }
    index_ = std::move(index);
    for (const auto& [name, claim] : inventory_->held) {
        hold(name, claim);
    }
}

/// What is known of nodes is computed anew when it is needed.
DeviceClaims::DeviceClaims(const DeviceClaims& other)
    : inventory_(other.inventory_),
      index_(other.index_),
      memory_(other.memory_),
      held_(other.held_),
      allocated_(other.allocated_),
      deallocations_(other.deallocations_) {}

ObjectName DeviceClaims::key_of(const Pod& pod, const PodClaim& claim) {
    // No object has a name with a slash.
    return claim.claim.empty() ? ObjectName("/" + pod.uid, claim.name)
                               : ObjectName(pod.name_space, claim.claim);
}

const ResourceClaim* DeviceClaims::spec_of(const Pod& pod, const PodClaim& claim) const {
    if (claim.instead != nullptr) {
        return claim.instead.get();
    }
    const bool is_named = !claim.claim.empty();
    const auto& all = is_named ? inventory_->claims : inventory_->templates;
    const auto found = all.find({pod.name_space, is_named ? claim.claim : claim.made_from});
    return found == all.end() ? nullptr : &found->second;
}

const HeldClaim* DeviceClaims::find(const Pod& pod, const PodClaim& claim) const {
    const auto found = held_.find(key_of(pod, claim));
    return found == held_.end() ? nullptr : &found->second;
}

std::string DeviceClaims::why_gated(const Pod& pod) const {
    for (const PodClaim& claim : pod.claims) {
        if (spec_of(pod, claim) != nullptr) {
            continue;
        }
        return claim.claim.empty()
                   ? fmt::format(
                         "pod \"{}/{}\": ResourceClaim not created yet", pod.name_space, pod.name)
                   : fmt::format(
                         "could not find resource claim \"{}/{}\"", pod.name_space, claim.claim);
    }
    return "";
}

/// Why a claim cannot be allocated, if its class is not there.
std::string DeviceClaims::missing_class(const ResourceClaim& claim) const {
    for (const ResourceClaim::Request& request : claim.requests) {
        for (const DeviceRequest& one : request.alternatives) {
            if (!inventory_->catalog.classes.contains(one.class_name)) {
                return fmt::format(
                    "request {}: device class {} does not exist", one.full_name(), one.class_name);
            }
        }
    }
    return "";
}

std::optional<std::size_t> DeviceClaims::shape_of(
    const std::vector<AskedClaims::Wanted>& wanted) const {
    constexpr std::size_t most = 256;
    std::vector<std::size_t> specs;
    for (const AskedClaims::Wanted& one : wanted) {
        const auto known = index_->specs.find(one.as);
        if (known == index_->specs.end()) {
            return std::nullopt;
        }
        specs.push_back(known->second);
    }
    if (shapes_.size() == most && !shapes_.contains(specs)) {
        return std::nullopt;
    }
    return shapes_.try_emplace(std::move(specs), shapes_.size()).first->second;
}

std::optional<AskedClaims> DeviceClaims::ask(const Pod& pod, Verdict& verdict) const {
    if (pod.claims.empty()) {
        return std::nullopt;
    }
    AskedClaims asked;
    asked.claims_ = this;
    asked.name_space_ = pod.name_space;
    const auto reject = [&](std::string why) {
        verdict = {Code::unresolvable, {std::move(why)}, "DynamicResources"};
        return std::nullopt;
    };
    if (std::string why = why_gated(pod); !why.empty()) {
        return reject(std::move(why));
    }
    for (const PodClaim& claim : pod.claims) {
        const ResourceClaim& spec = *spec_of(pod, claim);
        if (const HeldClaim* held = find(pod, claim); held != nullptr && !held->is_pending) {
            if (held->pods.size() + held->others >= most_pods && !held->pods.contains(pod.uid)) {
                return reject("resourceclaim in use");
            }
            asked.held_.push_back(held);
            continue;
        } else if (held != nullptr) {
            return reject(fmt::format("resource claim {}/{} is in the process of being allocated",
                                      pod.name_space,
                                      name_of(pod, claim)));
        }
        if (std::string why = missing_class(spec); !why.empty()) {
            return reject(std::move(why));
        }
        asked.wanted_.push_back({&spec, name_of(pod, claim)});
    }
    asked.shape_ = shape_of(asked.wanted_);
    return asked;
}

bool DeviceClaims::asks_each_node_alone(const Pod& pod) const {
    if (pod.claims.empty()) {
        return true;
    }
    const auto is_made = [](const PodClaim& claim) { return claim.claim.empty(); };
    if (!index_->has_homes || !std::ranges::all_of(pod.claims, is_made)) {
        return false;
    }
    Verdict verdict;
    const std::optional<AskedClaims> asked = ask(pod, verdict);
    return asked && !asked->has_alternatives();
}

DeviceClaims::OfNode& DeviceClaims::of(const Node& node) const {
    const auto [place, is_new] = nodes_.try_emplace(node.name);
    OfNode& known = place->second;
    if (is_new) {
        known.pools = gather_pools(node.name, node.labels, inventory_->catalog, index_->slices);
        // Pools of other nodes count if there is something wrong with them.
        std::erase_if(known.pools, [](const DevicePool& pool) {
            return pool.is_usable() && pool.slices.empty();
        });
    }
    return known;
}

DeviceAllocation DeviceClaims::search(const Node& node,
                                      const AskedClaims& asked,
                                      const std::vector<DevicePool>& pools) const {
    DeviceQuestion question{
        node.name, node.labels, {}, &inventory_->catalog, &allocated_, memory_.get()};
    for (const AskedClaims::Wanted& wanted : asked.wanted_) {
        ResourceClaim& claim = question.claims.emplace_back(*wanted.as);
        claim.name = wanted.name;
        claim.name_space = asked.name_space_;
    }
    try {
        return allocate_devices(question, pools);
    } catch (const CelUnsupported& error) {
        DeviceAllocation failed;
        failed.is_fatal = true;
        failed.error = fmt::format("a selector of devices uses what berth lacks: {}", error.what());
        return failed;
    }
}

/// The devices that a node has for the claims. The answer lasts until the next call.
const DeviceAllocation& DeviceClaims::allocation_on(const Node& node,
                                                    const AskedClaims& asked) const {
    OfNode& known = of(node);
    if (!asked.shape_) {
        tried_ = search(node, asked, known.pools);
        return tried_;
    }
    if (known.by_shape.size() <= *asked.shape_) {
        known.by_shape.resize(*asked.shape_ + 1);
    }
    Answer& answer = known.by_shape[*asked.shape_];
    if (!answer.is_known || answer.changes_here != known.changes ||
        answer.changes_everywhere != changes_everywhere_) {
        answer.allocation = search(node, asked, known.pools);
        // An error names the claims, which are others for the next pod.
        answer.is_known = !answer.allocation.is_fatal || answer.allocation.is_stopped;
        answer.changes_here = known.changes;
        answer.changes_everywhere = changes_everywhere_;
    }
    return answer.allocation;
}

/// A pod that ran before takes over what is reserved for it: claims by name, and of those that were
/// made for pods, the first that can be on its node and has the name of its claim.
void DeviceClaims::take_over(const Pod& pod, const Node& node) {
    for (const PodClaim& claim : pod.claims) {
        const auto named = held_.find(key_of(pod, claim));
        if (named != held_.end()) {
            named->second.others -= named->second.others > 0 ? 1 : 0;
            continue;
        }
        const auto made = std::ranges::find_if(held_, [&](const auto& one) {
            const HeldClaim& held = one.second;
            return one.first.first == pod.name_space && held.made_for == claim.name &&
                   held.others > 0 && (!held.nodes || matches(*held.nodes, node.labels, node.name));
        });
        if (claim.claim.empty() && made != held_.end()) {
            auto taken = held_.extract(made);
            taken.key() = key_of(pod, claim);
            taken.mapped().others = 0;
            held_.insert(std::move(taken));
        }
    }
}

void DeviceClaims::reserve(const Pod& pod, const Node& node, Reservation how) {
    if (pod.claims.empty()) {
        return;
    }
    const bool is_pending = how == Reservation::pending;
    if (how == Reservation::runs_beforehand) {
        take_over(pod, node);
    }
    Verdict verdict;
    const std::optional<AskedClaims> asked = ask(pod, verdict);
    std::vector<HeldClaim> found;
    if (asked && !asked->wanted_.empty()) {
        const DeviceAllocation& allocation = allocation_on(node, *asked);
        for (std::size_t i = 0; allocation.claims && i < asked->wanted_.size(); ++i) {
            found.push_back(held_claim(*asked->wanted_[i].as, (*allocation.claims)[i]));
        }
    }
    auto next = found.begin();
    for (const PodClaim& claim : pod.claims) {
        const ObjectName key = key_of(pod, claim);
        if (held_.contains(key) && is_pending) {
            continue;  // it is reserved when the pod is bound
        }
        if (!held_.contains(key)) {
            HeldClaim held;
            if (next != found.end()) {
                held = std::move(*next++);
                held.is_pending = is_pending;
            } else {
                held.nodes = terms_of(node);
            }
            hold(key, std::move(held));
        }
        held_.at(key).pods.insert(pod.uid);
    }
}

void DeviceClaims::release(const Pod& pod) {
    for (const PodClaim& claim : pod.claims) {
        const auto held = held_.find(key_of(pod, claim));
        if (held == held_.end()) {
            continue;
        }
        const bool was_reserved = held->second.pods.erase(pod.uid) > 0;
        if (was_reserved && held->second.pods.empty() && held->second.others == 0) {
            unhold(ObjectName(held->first));
        }
    }
}

const PodClaim* DeviceClaims::find_idle(const Pod& pod,
                                        const std::vector<const Node*>& unavailable) const {
    for (const PodClaim& claim : pod.claims) {
        const HeldClaim* held = find(pod, claim);
        const bool is_idle =
            held != nullptr && held->others == 0 &&
            (held->pods.empty() || (held->pods.size() == 1 && held->pods.contains(pod.uid)));
        if (is_idle && std::ranges::any_of(unavailable, [&](const Node* node) {
                return held->nodes && !matches(*held->nodes, node->labels, node->name);
            })) {
            return &claim;
        }
    }
    return nullptr;
}

void DeviceClaims::deallocate(const Pod& pod, const PodClaim& claim) {
    unhold(key_of(pod, claim));
}

void DeviceClaims::hold(const ObjectName& key, HeldClaim claim) {
    const HeldClaim& held = held_.emplace(key, std::move(claim)).first->second;
    for (const HeldDevice& device : held.devices) {
        count(device, 1);
    }
}

void DeviceClaims::unhold(const ObjectName& key) {
    const auto held = held_.extract(key);
    for (const HeldDevice& device : held.mapped().devices) {
        count(device, -1);
    }
    deallocations_ += held.mapped().is_pending ? 0 : 1;
}

/// Counts a device that a claim takes (1) or gives back (-1).
void DeviceClaims::count(const HeldDevice& device, int sign) {
    const auto home = index_->homes.find({std::get<0>(device.id), std::get<1>(device.id)});
    if (home == index_->homes.end() || home->second.empty()) {
        ++changes_everywhere_;
    } else if (const auto known = nodes_.find(home->second); known != nodes_.end()) {
        ++known->second.changes;
    }
    if (device.is_admin) {
        return;
    }
    if (!device.is_shared && sign > 0) {
        allocated_.exclusive.insert(device.id);
    } else if (!device.is_shared) {
        allocated_.exclusive.erase(device.id);
    } else if ((allocated_.shared[device.id] += sign) == 0) {
        allocated_.shared.erase(device.id);
        allocated_.consumed.erase(device.id);
    } else {
        Quantities& consumed = allocated_.consumed[device.id];
        for (const auto& [name, amount] : device.consumed) {
            consumed[name] += sign * amount;
        }
    }
}

}  // namespace berth::core::kube
