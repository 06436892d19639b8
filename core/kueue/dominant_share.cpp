#include "core/kueue/dominant_share.hpp"

#include <algorithm>

namespace berth::core::kueue {
namespace {

std::weak_ordering by_number(double a, double b) {
    return a < b   ? std::weak_ordering::less
           : a > b ? std::weak_ordering::greater
                   : std::weak_ordering::equivalent;
}

double share(const DominantShare& of) {
    return of.ratio == 0 ? 0 : of.ratio / of.weight;
}

}  // namespace

bool DominantShare::borrows_any_of(const FlavorResourceAmounts& requests) const {
    return std::ranges::any_of(borrowed, [&](FlavorResource what) {
        const auto request = requests.find(what);
        return request != requests.end() && request->second > 0;
    });
}

std::weak_ordering compare(const DominantShare& a, const DominantShare& b) {
    if (a.is_infinite() && b.is_infinite()) {
        return by_number(a.ratio, b.ratio);
    }
    if (a.is_infinite() || b.is_infinite()) {
        return a.is_infinite() ? std::weak_ordering::greater : std::weak_ordering::less;
    }
    return by_number(share(a), share(b));
}

}  // namespace berth::core::kueue
