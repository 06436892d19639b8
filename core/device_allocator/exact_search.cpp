#include "core/device_allocator/exact_search.hpp"

#include <algorithm>
#include <bit>
#include <tuple>

namespace berth::core {
std::strong_ordering ExactRank::compare(const ExactRank& other) const {
    if (scope != other.scope) {
        return scope <=> other.scope;
    }
    const int share = uncovered * other.pairs;
    const int other_share = other.uncovered * pairs;
    if (share != other_share) {
        return share <=> other_share;
    }
    return std::tie(far, switch_count, new_on_numa, new_on_pcie) <=>
           std::tie(other.far, other.switch_count, other.new_on_numa, other.new_on_pcie);
}

bool ExactFound::is_better_than(const ExactFound& other) const {
    if (const auto order = rank.compare(other.rank); order != 0) {
        return order < 0;
    }
    if (score != other.score) {
        return score > other.score;
    }
    const DeviceMask differ = devices ^ other.devices;
    return (devices & differ & (~differ + 1)) != 0;  // the lowest minor that only one of them has
}

ExactSearch::ExactSearch(const DeviceQuestion& question,
                         DeviceType primary,
                         std::span<const DeviceType> secondaries)
    : question_(question),
      primary_(primary),
      same_pcie_(question.plan.same_pcie && !secondaries.empty()) {
    find_sites();
    find_secondaries(secondaries);
}

void ExactSearch::find_sites() {
    const DevicesOfType& of = question_.inventory.of(primary_);
    const DeviceMask usable = question_.usable(primary_);
    const DeviceMask in_use = question_.views[primary_].in_use;
    std::array<std::int8_t, devices_of_type_max> site_of_switch;
    site_of_switch.fill(-1);
    DeviceMask used_sites = 0;
    DeviceMask used_numa_nodes = 0;
    for (std::size_t d = 0; d < of.size(); ++d) {
        const std::int16_t at = question_.switch_of(primary_, d);
        const bool is_placed = at != DevicesOfType::nowhere;
        std::int8_t site = is_placed ? site_of_switch[static_cast<std::size_t>(at)] : -1;
        if (site < 0) {
            site = static_cast<std::int8_t>(site_count_++);
            sites_[static_cast<std::size_t>(site)] = {};
        }
        if (is_placed) {
            site_of_switch[static_cast<std::size_t>(at)] = site;
        }
        site_of_[d] = site;
        Site& here = sites_[static_cast<std::size_t>(site)];
        const int is_new = (of.healthy & bit(d)) != 0 ? 1 : 0;
        here.new_devices += is_new;
        if (is_placed) {
            const auto numa = static_cast<std::size_t>(of.numa[d]);
            here.numa_node = here.numa_node == 0 ? bit(numa) : here.numa_node;
            new_on_numa_[numa] += is_new;
            used_numa_nodes |= (in_use & bit(d)) != 0 ? bit(numa) : 0;
        }
        if ((usable & bit(d)) != 0) {
            here.devices |= bit(d);
            ++here.room;
        }
        used_sites |= (in_use & bit(d)) != 0 ? bit(static_cast<std::size_t>(site)) : 0;
    }
    for_each_bit(used_sites, [&](std::size_t site) { sites_[site].new_devices = 0; });
    for_each_bit(used_numa_nodes, [&](std::size_t numa) { new_on_numa_[numa] = 0; });
}

void ExactSearch::find_secondaries(std::span<const DeviceType> secondaries) {
    for (const DeviceType type : secondaries) {
        const std::size_t index = secondary_count_++;
        const DevicesOfType& of = question_.inventory.of(type);
        Secondary& secondary = secondaries_[index];
        secondary.type = type;
        secondary.desired = std::max<Amount>(1, question_.plan.types[type].count);
        secondary.is_fixed = type == DeviceType::gpu;
        std::array<int, devices_of_type_max> on_switch{};
        for_each_bit(question_.usable(type), [&](std::size_t d) {
            ++secondary.usable;
            const std::int16_t at = question_.switch_of(type, d);
            if (at != DevicesOfType::nowhere) {
                ++on_switch[static_cast<std::size_t>(at)];
                ++secondary.on_numa[static_cast<std::size_t>(of.numa[d])];
            }
        });
        const DevicesOfType& primaries = question_.inventory.of(primary_);
        for (std::size_t d = 0; d < primaries.size(); ++d) {
            const std::int16_t at = question_.switch_of(primary_, d);
            if (at != DevicesOfType::nowhere) {
                sites_[static_cast<std::size_t>(site_of_[d])].beside[index] =
                    on_switch[static_cast<std::size_t>(at)];
            }
        }
    }
}

std::optional<ExactFound> ExactSearch::search(Amount count, TopologyScope widest) {
    if (count > static_cast<Amount>(devices_of_type_max)) {
        return std::nullopt;
    }
    count_ = static_cast<int>(count);
    search_one_switch();
    if (!best_ && widest <= TopologyScope::numa_node) {
        DeviceMask numa_nodes = 0;
        for (std::size_t site = 0; site < site_count_; ++site) {
            numa_nodes |= sites_[site].numa_node;
        }
        for_each_bit(numa_nodes, [&](std::size_t numa) { search_within(bit(numa), 1); });
    }
    if (!best_ && widest <= TopologyScope::machine) {
        search_within(0, 2);
    }
    return best_;
}

std::optional<ExactFound> ExactSearch::judge(DeviceMask devices) {
    best_.reset();
    count_ = std::popcount(devices);
    Chosen chosen;
    DeviceMask sites = 0;
    for_each_bit(devices,
                 [&](std::size_t d) { sites |= bit(static_cast<std::size_t>(site_of_[d])); });
    for_each_bit(sites, [&](std::size_t site) { chosen = with(chosen, sites_[site]); });
    scope_ = chosen.switch_count == 1                                           ? 0
             : std::popcount(chosen.numa_nodes) == 1 && chosen.switch_count > 0 ? 1
                                                                                : 2;
    if (!is_allowed(chosen)) {
        return std::nullopt;
    }
    return ExactFound{rank(chosen), 0, devices};
}

void ExactSearch::search_one_switch() {
    scope_ = 0;
    for (std::size_t site = 0; site < site_count_; ++site) {
        if (sites_[site].room >= count_) {
            consider(with({}, sites_[site]));
        }
    }
}

/// `numa_nodes` 0 means the whole machine.
void ExactSearch::search_within(DeviceMask numa_nodes, int scope) {
    scope_ = scope;
    ties_ = 0;
    visits_ = 0;
    std::array<std::size_t, devices_of_type_max> sites;
    std::size_t count = 0;
    int room = 0;
    for (std::size_t site = 0; site < site_count_; ++site) {
        const Site& here = sites_[site];
        const bool is_inside = numa_nodes == 0 || (here.numa_node & numa_nodes) != 0;
        bool is_bare = false;  // without one of the secondaries on it
        for (std::size_t s = 0; s < secondary_count_; ++s) {
            is_bare = is_bare || here.beside[s] == 0;
        }
        if (here.room > 0 && is_inside && !(same_pcie_ && is_bare)) {
            sites[count++] = site;
            room += here.room;
        }
    }
    if (room >= count_) {
        make_kinds(std::span(sites).first(count));
        extend(0, {});
    }
}

void ExactSearch::make_kinds(std::span<const std::size_t> sites) {
    const auto key = [&](std::size_t site) {
        const Site& here = sites_[site];
        int covered = 0;
        std::array<int, secondaries_max> beside = here.beside;
        for (int& there : beside) {
            covered += there > 0 ? 1 : 0;
            there = same_pcie_ ? there : std::min(there, 1);
        }
        return std::tuple(
            -covered, -std::min(here.room, count_), here.new_devices, here.numa_node, beside);
    };
    std::ranges::copy(sites, ordered_.begin());
    const auto ordered = std::span(ordered_).first(sites.size());
    std::ranges::sort(ordered, {}, [&](std::size_t site) {
        return std::pair(key(site), std::countr_zero(sites_[site].devices));
    });
    kind_count_ = 0;
    for (std::size_t i = 0; i < ordered.size(); ++i) {
        if (i == 0 || key(ordered[i]) != key(ordered[i - 1])) {
            kinds_[kind_count_++] = {i};
        }
        ++kinds_[kind_count_ - 1].size;
    }
    Kind after;
    after.least_new_from_here = INT32_MAX;
    for (std::size_t k = kind_count_; k-- > 0; after = kinds_[k]) {
        Kind& kind = kinds_[k];
        const Site& any = sites_[ordered[kind.first]];
        int covered = 0;
        for (std::size_t s = 0; s < secondary_count_; ++s) {
            covered += any.beside[s] > 0 ? 1 : 0;
        }
        kind.most_room_from_here = after.most_room_from_here;
        for (std::size_t i = kind.first; i < kind.first + kind.size; ++i) {
            const int room = sites_[ordered[i]].room;
            kind.room += room;
            kind.most_room_from_here = std::max(kind.most_room_from_here, room);
        }
        kind.rooms_from_here = after.rooms_from_here + kind.room;
        kind.sites_from_here = after.sites_from_here + static_cast<int>(kind.size);
        kind.pairs_from_here = after.pairs_from_here + covered * static_cast<int>(kind.size);
        kind.least_new_from_here = std::min(after.least_new_from_here, any.new_devices);
    }
}

ExactSearch::Chosen ExactSearch::with(Chosen chosen, const Site& site) const {
    chosen.devices |= site.devices;
    chosen.numa_nodes |= site.numa_node;
    ++chosen.switch_count;
    chosen.room += site.room;
    chosen.new_on_pcie += site.new_devices;
    for (std::size_t s = 0; s < secondary_count_; ++s) {
        chosen.beside[s] += site.beside[s];
        chosen.covered[s] += site.beside[s] > 0 ? 1 : 0;
    }
    return chosen;
}

void ExactSearch::consider(const Chosen& chosen) {
    if (!is_allowed(chosen)) {
        return;
    }
    ExactFound found{rank(chosen), 0, 0};
    if (best_ && best_->rank.compare(found.rank) < 0) {
        return;
    }
    found.devices = lowest(chosen);
    if (count_ == 1 && question_.plan.types[primary_].is_shared) {
        found.score = -1;
        for_each_bit(chosen.devices, [&](std::size_t d) {
            const Amount score = question_.score(primary_, d);
            if (score > found.score) {
                found.score = score;
                found.devices = bit(d);
            }
        });
    }
    if (!best_ || found.is_better_than(*best_)) {
        best_ = found;
    }
}

/// Checks SamePCIe: each switch of the primary has each secondary, and there are enough of them.
bool ExactSearch::is_allowed(const Chosen& chosen) const {
    for (std::size_t s = 0; same_pcie_ && s < secondary_count_; ++s) {
        const Secondary& secondary = secondaries_[s];
        if (chosen.covered[s] < chosen.switch_count || chosen.beside[s] < secondary.desired ||
            (secondary.is_fixed && chosen.switch_count > secondary.desired)) {
            return false;
        }
    }
    return true;
}

ExactRank ExactSearch::rank(const Chosen& chosen) const {
    const int width = static_cast<int>(secondary_count_);
    ExactRank rank;
    rank.scope = scope_;
    rank.pairs = std::max(1, chosen.switch_count * width);
    rank.uncovered = chosen.switch_count * width - covered_pairs(chosen);
    rank.switch_count = chosen.switch_count;
    rank.new_on_numa = new_on_numa(chosen.numa_nodes);
    rank.new_on_pcie = chosen.new_on_pcie;
    for (std::size_t s = 0; s < secondary_count_; ++s) {
        rank.far += far_count(chosen, s);
    }
    return rank;
}

int ExactSearch::covered_pairs(const Chosen& chosen) const {
    int pairs = 0;
    for (std::size_t s = 0; s < secondary_count_; ++s) {
        pairs +=
            secondaries_[s].is_fixed
                ? static_cast<int>(std::min<Amount>(chosen.covered[s], secondaries_[s].desired))
                : chosen.covered[s];
    }
    return pairs;
}

Amount ExactSearch::far_count(const Chosen& chosen, std::size_t index) const {
    const Secondary& secondary = secondaries_[index];
    Amount taken = secondary.desired;
    if (!secondary.is_fixed) {
        taken = std::max<Amount>(taken,
                                 question_.rules.far_secondaries_are_added
                                     ? std::min(chosen.switch_count, secondary.usable)
                                     : chosen.covered[index]);
    }
    return std::max<Amount>(0, taken - near_count(chosen.numa_nodes, index));
}

int ExactSearch::near_count(DeviceMask numa_nodes, std::size_t secondary) const {
    int near = 0;
    for_each_bit(numa_nodes,
                 [&](std::size_t numa) { near += secondaries_[secondary].on_numa[numa]; });
    return near;
}

int ExactSearch::new_on_numa(DeviceMask numa_nodes) const {
    int devices = 0;
    for_each_bit(numa_nodes, [&](std::size_t numa) { devices += new_on_numa_[numa]; });
    return devices;
}

DeviceMask ExactSearch::lowest(const Chosen& chosen) const {
    DeviceMask picked = 0;
    DeviceMask served = 0;
    int left = count_;
    int unserved = chosen.switch_count;
    for_each_bit(chosen.devices, [&](std::size_t d) {
        const DeviceMask site = bit(static_cast<std::size_t>(site_of_[d]));
        const bool is_first = (served & site) == 0;
        if (left > unserved || (left > 0 && is_first)) {
            picked |= bit(d);
            served |= site;
            unserved -= is_first ? 1 : 0;
            --left;
        }
    });
    return picked;
}

}  // namespace berth::core
