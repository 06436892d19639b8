#include "sim/queue/decayed_usage.hpp"

#include <algorithm>
#include <array>

#include "core/support/assert.hpp"

namespace berth::sim {
namespace {

__extension__ using Wide = __int128;

constexpr int share_bits = 32;
constexpr int factor_bits = 62;
constexpr Wide fixed_one = Wide{1} << factor_bits;
constexpr Wide inverse_of_ln_2 = 6'196'328'019;  // times 2^32

constexpr Wide square_root(Wide square) {
    Wide root = 0;
    for (int bit = factor_bits; bit >= 0; --bit) {
        const Wide more = root + (Wide{1} << bit);
        root = more * more <= square ? more : root;
    }
    return root;
}

/// 2^-(1/2), 2^-(1/4), ... as parts of `fixed_one`.
constexpr std::array<Wide, factor_bits> roots_of_half = [] {
    std::array<Wide, factor_bits> roots{};
    Wide root = fixed_one / 2;
    for (Wide& each : roots) {
        root = square_root(root << factor_bits);
        each = root;
    }
    return roots;
}();

/// 2^-(time / half_life), as a part of `fixed_one`.
Wide decay(SimTime time, SimTime half_life) {
    BERTH_ASSERT(time >= SimTime(0), "usage decays as time goes on");
    const std::int64_t halves = time / half_life;
    if (halves >= factor_bits) {
        return 0;
    }
    const Wide rest = (time % half_life).count() * fixed_one / half_life.count();
    Wide factor = fixed_one;
    for (int bit = 0; bit < factor_bits; ++bit) {
        if ((rest >> (factor_bits - 1 - bit) & 1) != 0) {
            factor = (factor * roots_of_half[static_cast<std::size_t>(bit)]) >> factor_bits;
        }
    }
    return factor >> halves;
}

/// `value` times a part of `fixed_one`, in two halves since the product may need 157 bits.
Wide times(Wide value, Wide factor) {
    const Wide low = value & ((Wide{1} << share_bits) - 1);
    return (((value >> share_bits) * factor) >> (factor_bits - share_bits)) +
           ((low * factor) >> factor_bits);
}

}  // namespace

DecayedUsage::DecayedUsage(SimTime half_life, std::span<const core::Amount> capacity)
    : half_life_(half_life), capacity_(capacity.begin(), capacity.end()) {
    BERTH_ASSERT(half_life > SimTime(0), "usage decays");
}

/// Used amounts decay, and running pods add the integral of their rate under the same decay.
void DecayedUsage::settle(Use& use, SimTime now) const {
    BERTH_ASSERT(now >= use.since, "time never goes back");
    const Wide left = decay(now - use.since, half_life_);
    const Wide mean_life = (half_life_.count() * inverse_of_ln_2) >> share_bits;
    use.used = times(use.used, left) + times(use.rate * mean_life, fixed_one - left);
    use.since = now;
}

/// The resource of which a pod takes the largest share, if the cluster has any that it asks for.
std::optional<std::size_t> DecayedUsage::largest_part(std::span<const core::Amount> demand) const {
    BERTH_ASSERT(demand.size() == capacity_.size(), "a demand is by the schema");
    std::optional<std::size_t> largest;
    for (std::size_t resource = 0; resource < demand.size(); ++resource) {
        if (capacity_[resource] > 0 && demand[resource] > 0 &&
            (!largest || Wide{demand[resource]} * capacity_[*largest] >
                             Wide{demand[*largest]} * capacity_[resource])) {
            largest = resource;
        }
    }
    return largest;
}

DecayedUsage::Wide DecayedUsage::part_of(std::size_t resource, Wide amount) const {
    return (amount << share_bits) / capacity_[resource];
}

void DecayedUsage::add(Use& use, std::span<const core::Amount> demand, core::Members pods) const {
    use.amounts.resize(capacity_.size());
    if (const auto resource = largest_part(demand)) {
        Wide& amount = use.amounts[*resource];
        use.rate -= part_of(*resource, amount);
        amount += Wide{demand[*resource]} * pods;
        BERTH_ASSERT(amount >= 0, "no more pods of an owner stop than ran");
        use.rate += part_of(*resource, amount);
    }
}

void DecayedUsage::change(std::uint32_t owner,
                          std::span<const core::Amount> demand,
                          core::Members pods,
                          SimTime now) {
    Use& use = uses_.try_emplace(owner, Use{0, {}, 0, now}).first->second;
    settle(use, now);
    add(use, demand, pods);
}

std::int64_t DecayedUsage::at(std::uint32_t owner, SimTime now) {
    const auto found = uses_.find(owner);
    if (found == uses_.end()) {
        return 0;
    }
    settle(found->second, now);
    return static_cast<std::int64_t>(
        std::min<Wide>(found->second.used >> share_bits, never.count()));
}

}  // namespace berth::sim
