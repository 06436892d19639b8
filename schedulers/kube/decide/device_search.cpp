#include "schedulers/kube/decide/device_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "schedulers/kube/decide/device_capacity.hpp"

namespace berth::core::kube {
namespace {

/// How many devices a claim may get (AllocationResultsMaxSize).
constexpr std::int64_t most_devices = 32;

std::string text_of(const DeviceId& id) {
    return fmt::format("{}/{}/{}", std::get<0>(id), std::get<1>(id), std::get<2>(id));
}

}  // namespace

DeviceSearch::DeviceSearch(const DeviceQuestion& question, const std::vector<DevicePool>& pools)
    : question_(question),
      features_(question.catalog->features),
      allocated_(*question.allocated),
      pools_(pools),
      selectors_(question),
      prepared_(question.claims.size()),
      constraints_(question.claims.size()),
      results_(question.claims.size()),
      chosen_(question.claims.size()) {}

bool DeviceSearch::has_invalid_pool() const {
    return std::ranges::any_of(pools_, &DevicePool::is_invalid);
}

void DeviceSearch::prepare() {
    for (std::size_t claim = 0; claim < question_.claims.size(); ++claim) {
        prepare(claim);
    }
}

void DeviceSearch::prepare(std::size_t index) {
    const ResourceClaim& claim = question_.claims[index];
    std::int64_t devices = 0;
    for (const ResourceClaim::Request& request : claim.requests) {
        check_features(claim, request);
        std::vector<Prepared>& prepared = prepared_[index].emplace_back();
        std::int64_t least = std::numeric_limits<std::int64_t>::max();
        for (const DeviceRequest& alternative : request.alternatives) {
            prepare(claim, alternative, prepared.emplace_back());
            least = std::min(least, prepared.back().count);
        }
        devices += least;
    }
    if (devices > most_devices) {
        throw AllocationError(
            fmt::format("claim {}: number of requested devices {} exceeds the claim limit of {}",
                        claim.full_name(),
                        devices,
                        most_devices));
    }
    chosen_[index].assign(claim.requests.size(), 0);
    for (std::size_t i = 0; i < claim.constraints.size(); ++i) {
        if (claim.constraints[i].kind == DeviceConstraint::Kind::unknown) {
            throw AllocationError(fmt::format(
                "claim {}, constraint #{}: empty constraint (unsupported constraint type?)",
                claim.full_name(),
                i));
        }
        constraints_[index].emplace_back(claim.constraints[i]);
    }
}

void DeviceSearch::check_features(const ResourceClaim& claim,
                                  const ResourceClaim::Request& request) const {
    if (request.has_alternatives && !features_.prioritized_list) {
        throw AllocationError(
            fmt::format("claim {}, request {}: has subrequests, but the "
                        "DRAPrioritizedList feature is disabled",
                        claim.full_name(),
                        request.name));
    }
    if (features_.consumable_capacity) {
        return;
    }
    for (const DeviceRequest& alternative : request.alternatives) {
        if (alternative.capacity) {
            throw AllocationError(
                fmt::format("claim {}, {} {}: has capacity requests, but the "
                            "DRAConsumableCapacity feature is disabled",
                            claim.full_name(),
                            request.has_alternatives ? "subrequest" : "request",
                            alternative.name));
        }
    }
}

void DeviceSearch::prepare(const ResourceClaim& claim,
                           const DeviceRequest& request,
                           Prepared& prepared) {
    const auto fail = [&](const std::string& why) {
        throw AllocationError(
            fmt::format("claim {}, request {}{}", claim.full_name(), request.name, why));
    };
    for (std::size_t i = 0; i < request.selectors.size(); ++i) {
        if (!request.selectors[i]) {
            fail(fmt::format(", selector #{}: CEL expression empty (unsupported selector type?)",
                             i));
        }
    }
    if (!features_.admin_access && request.parent.empty() && request.admin_access) {
        fail(": admin access is requested, but the feature is disabled");
    }
    if (request.class_name.empty()) {
        fail(": missing device class name (unsupported request type?)");
    }
    const auto found = question_.catalog->classes.find(request.class_name);
    if (found == question_.catalog->classes.end()) {
        fail(fmt::format(": could not retrieve device class {}: not found", request.class_name));
    }
    prepared.of = &found->second;
    if (request.mode == "ExactCount") {
        prepared.count = request.count;
    } else if (request.mode == "All") {
        find_all(claim, request, prepared);
        prepared.count = static_cast<std::int64_t>(prepared.all.size());
    } else {
        fail(fmt::format(": unsupported count mode {}", request.mode));
    }
}

void DeviceSearch::find_all(const ResourceClaim& claim,
                            const DeviceRequest& request,
                            Prepared& prepared) {
    for (const DevicePool& pool : pools_) {
        if (!pool.is_usable()) {
            throw AllocationError(
                fmt::format("claim {}, request {}: asks for all devices, but resource pool {}/{} "
                            "is currently {}",
                            claim.full_name(),
                            request.name,
                            pool.driver,
                            pool.name,
                            pool.is_incomplete ? "being updated" : "invalid"));
        }
        for (const ResourceSlice* slice : pool.slices) {
            for (const Device& device : slice->devices) {
                if (selectors_.select(claim, request, *prepared.of, *slice, device) &&
                    fits(request, *slice, device)) {
                    prepared.all.push_back({&pool, slice, &device});
                }
            }
        }
    }
}

const DeviceRequest& DeviceSearch::request_at(const Place& place) const {
    return question_.claims[place.claim].requests[place.request].alternatives[place.alternative];
}

DeviceSearch::Outcome DeviceSearch::step(const Place& place) {
    if (++steps_ > question_.catalog->step_limit) {
        return Outcome::stopped;
    }
    if (place.claim == question_.claims.size()) {
        return Outcome::found;
    }
    const std::vector<ResourceClaim::Request>& requests = question_.claims[place.claim].requests;
    if (place.request == requests.size()) {
        const Outcome outcome = step({.claim = place.claim + 1, .start = {}});
        return outcome == Outcome::exceeded ? Outcome::failed : outcome;
    }
    if (!place.in_alternative && requests[place.request].has_alternatives) {
        return try_alternatives(place);
    }
    const DeviceRequest& request = request_at(place);
    const Prepared& prepared = prepared_[place.claim][place.request][place.alternative];
    const bool wants_all = request.mode == "All";
    if (wants_all && prepared.all.empty()) {
        return Outcome::failed;
    }
    if (place.device >= prepared.count) {
        return step({.claim = place.claim, .request = place.request + 1, .start = {}});
    }
    const auto taken = static_cast<std::int64_t>(results_[place.claim].size());
    if (taken + prepared.count - place.device > most_devices) {
        return Outcome::exceeded;
    }
    return wants_all ? take_next_of_all(place) : try_devices(place);
}

DeviceSearch::Outcome DeviceSearch::try_alternatives(const Place& place) {
    const std::size_t count =
        question_.claims[place.claim].requests[place.request].alternatives.size();
    Outcome outcome = Outcome::exceeded;
    for (std::size_t i = 0; i < count; ++i) {
        Place inside = place;
        inside.alternative = i;
        inside.in_alternative = true;
        inside.start = {};
        const Outcome tried = step(inside);
        if (tried == Outcome::found) {
            chosen_[place.claim][place.request] = i;
        }
        if (tried == Outcome::found || tried == Outcome::stopped) {
            return tried;
        }
        outcome = tried == Outcome::failed ? Outcome::failed : outcome;
    }
    return outcome;
}

DeviceSearch::Outcome DeviceSearch::take_next_of_all(const Place& place) {
    const Prepared& prepared = prepared_[place.claim][place.request][place.alternative];
    return take_and_go_on(place, prepared.all[static_cast<std::size_t>(place.device)], {});
}

DeviceSearch::Outcome DeviceSearch::try_devices(const Place& place) {
    const ResourceClaim& claim = question_.claims[place.claim];
    const DeviceRequest& request = request_at(place);
    const DeviceClass& of = *prepared_[place.claim][place.request][place.alternative].of;
    Start at = place.start;
    for (; at.pool < pools_.size(); at = {at.pool + 1, 0, 0}) {
        const DevicePool& pool = pools_[at.pool];
        if (!pool.is_usable()) {
            continue;
        }
        for (; at.slice < pool.slices.size(); at = {at.pool, at.slice + 1, 0}) {
            const ResourceSlice& slice = *pool.slices[at.slice];
            for (; at.device < slice.devices.size(); ++at.device) {
                const Device& device = slice.devices[at.device];
                if (is_in_use(request, place.claim, slice, device) ||
                    !selectors_.select(claim, request, of, slice, device) ||
                    !fits(request, slice, device)) {
                    continue;
                }
                const Start next{at.pool, at.slice, at.device + 1};
                const Outcome outcome = take_and_go_on(place, {&pool, &slice, &device}, next);
                if (outcome != Outcome::failed) {
                    return outcome;
                }
            }
        }
    }
    return Outcome::failed;
}

DeviceSearch::Outcome DeviceSearch::take_and_go_on(const Place& place,
                                                   const Choice& choice,
                                                   const Start& next) {
    const bool must = request_at(place).mode == "All";
    Taken taken;
    if (!take(place, choice, must, taken)) {
        take_back(place, choice, taken);
        return Outcome::failed;
    }
    Place rest = place;
    ++rest.device;
    rest.start = next;
    const Outcome outcome = step(rest);
    if (outcome != Outcome::found) {
        take_back(place, choice, taken);
    }
    return outcome;
}

bool DeviceSearch::is_in_use(const DeviceRequest& request,
                             std::size_t claim,
                             const ResourceSlice& slice,
                             const Device& device) const {
    const auto allocating = allocating_.find(&device);
    const bool is_allocating = allocating != allocating_.end() && !allocating->second.empty();
    if (request.is_admin()) {
        return is_allocating && allocating->second.contains(claim);
    }
    return is_allocating || allocated_.exclusive.contains(slice.key_of(device));
}

bool DeviceSearch::is_shared(const Device& device) const {
    return features_.consumable_capacity && device.allows_multiple_allocations;
}

bool DeviceSearch::fits(const DeviceRequest& request,
                        const ResourceSlice& slice,
                        const Device& device) const {
    if (!features_.consumable_capacity) {
        return true;
    }
    static const Quantities none;
    const auto find = [&](const auto& amounts, const auto& key) -> const Quantities& {
        const auto found = amounts.find(key);
        return found == amounts.end() ? none : found->second;
    };
    return fits_capacity(device,
                         request.capacity,
                         find(allocated_.consumed, slice.key_of(device)),
                         find(taken_capacity_, &device));
}

bool DeviceSearch::is_tolerated(const DeviceRequest& request, const Device& device) const {
    return !features_.device_taints ||
           find_untolerated(device.taints, request.tolerations, TaintOf::node) == nullptr;
}

bool DeviceSearch::take(const Place& place, const Choice& choice, bool must, Taken& taken) {
    const DeviceRequest& request = request_at(place);
    const Device& device = *choice.device;
    const ResourceSlice& slice = *choice.slice;
    const bool shares = is_shared(device);
    const bool may_repeat = shares && request.is_admin();
    if (!may_repeat && is_in_use(request, place.claim, slice, device)) {
        return false;
    }
    if (!device.consumes.empty()) {
        if (!features_.partitionable_devices) {
            return false;
        }
        const bool is_counted = shares && (allocated_.consumed.contains(slice.key_of(device)) ||
                                           taken_capacity_.contains(&device));
        if (!is_counted) {
            if (!reserve_counters(choice)) {
                return false;
            }
            taken.has_counters = true;
        }
    }
    if (!is_tolerated(request, device) || !add_constraints(place, choice, must, taken)) {
        return false;
    }
    if (!shares) {
        allocating_[&device].insert(place.claim);
        taken.is_marked = true;
    }
    if (!fits(request, slice, device)) {
        return false;
    }
    TakenDevice result{place.request, place.alternative, choice.slice, choice.device, shares, {}};
    if (shares) {
        result.consumed = consumed_of(device, request.capacity);
        const auto before = taken_capacity_.find(&device);
        taken.is_shared = true;
        taken.was_shared = before != taken_capacity_.end();
        taken.shared_before = taken.was_shared ? before->second : Quantities{};
        for (const auto& [name, amount] : result.consumed) {
            taken_capacity_[&device][name] += amount;
        }
        taken_capacity_.try_emplace(&device);
    }
    results_[place.claim].push_back(std::move(result));
    taken.has_device = true;
    return true;
}

bool DeviceSearch::add_constraints(const Place& place,
                                   const Choice& choice,
                                   bool must,
                                   Taken& taken) {
    const DeviceRequest& request = request_at(place);
    for (ConstraintState& constraint : constraints_[place.claim]) {
        if (constraint.add(request, *choice.device, choice.slice->driver)) {
            ++taken.constraints;
            continue;
        }
        if (must) {
            throw AllocationError(
                fmt::format("claim {}, request {}: cannot add device {} because "
                            "a claim constraint would not be satisfied",
                            question_.claims[place.claim].full_name(),
                            request.name,
                            text_of(choice.slice->id_of(*choice.device))));
        }
        return false;
    }
    return true;
}

void DeviceSearch::take_back(const Place& place, const Choice& choice, const Taken& taken) {
    const Device* const device = choice.device;
    if (taken.has_device) {
        results_[place.claim].pop_back();
    }
    if (taken.is_shared && taken.was_shared) {
        taken_capacity_[device] = taken.shared_before;
    } else if (taken.is_shared) {
        taken_capacity_.erase(device);
    }
    if (taken.is_marked) {
        allocating_[device].erase(place.claim);
    }
    for (std::size_t i = taken.constraints; i-- > 0;) {
        constraints_[place.claim][i].remove(request_at(place));
    }
    if (taken.has_counters) {
        count(choice, -1);
    }
}

void DeviceSearch::count(const Choice& choice, int sign) {
    Counters& used = used_[choice.pool->name];
    for (const auto& [counter, amount] : choice.device->consumes) {
        used[counter] += sign * amount;
    }
}

Counters DeviceSearch::available_counters(const DevicePool& pool) const {
    Counters available = pool.counters;
    for (const auto* slices : {&pool.slices, &pool.elsewhere}) {
        for (const ResourceSlice* slice : *slices) {
            for (const Device& device : slice->devices) {
                const DeviceKey key = slice->key_of(device);
                if (!allocated_.exclusive.contains(key) && !allocated_.shared.contains(key) &&
                    !allocated_.consumed.contains(key)) {
                    continue;
                }
                for (const auto& [counter, amount] : device.consumes) {
                    if (const auto place = available.find(counter); place != available.end()) {
                        place->second -= amount;
                    }
                }
            }
        }
    }
    return available;
}

bool DeviceSearch::reserve_counters(const Choice& choice) {
    auto available = available_.find(choice.pool->name);
    if (available == available_.end()) {
        available = available_.emplace(choice.pool->name, available_counters(*choice.pool)).first;
    }
    count(choice, 1);
    const Counters& used = used_[choice.pool->name];
    const bool suffice = std::ranges::all_of(available->second, [&](const auto& counter) {
        const auto found = used.find(counter.first);
        return counter.second >= (found == used.end() ? 0 : found->second);
    });
    if (!suffice) {
        count(choice, -1);
    }
    return suffice;
}

}  // namespace berth::core::kube
