#include "core/allocation_candidates/part_matching.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace berth::core {
namespace {

class Matching {
public:
    Matching(std::span<const std::vector<CandidateOption>> options,
             const std::function<std::uint64_t(ProviderIndex)>& places)
        : options_(options), places_(places) {}

    /// A provider for one more part, by moving others if need be.
    bool place(std::size_t part) {
        std::set<ProviderIndex> visited;
        return augment(part, visited);
    }

private:
    bool augment(std::size_t part, std::set<ProviderIndex>& visited) {
        for (const CandidateOption& option : options_[part]) {
            if (!visited.insert(option.provider).second) {
                continue;
            }
            std::vector<std::size_t>& here = parts_at_[option.provider];
            if (here.size() < places_(option.provider)) {
                here.push_back(part);
                return true;
            }
            const auto moved = std::ranges::find_if(
                here, [&](std::size_t other) { return augment(other, visited); });
            if (moved != here.end()) {
                *moved = part;
                return true;
            }
        }
        return false;
    }

    std::span<const std::vector<CandidateOption>> options_;
    const std::function<std::uint64_t(ProviderIndex)>& places_;
    std::map<ProviderIndex, std::vector<std::size_t>> parts_at_;
};

}  // namespace

bool all_parts_find_places(std::span<const std::size_t> parts,
                           std::span<const std::vector<CandidateOption>> options,
                           const std::function<std::uint64_t(ProviderIndex)>& places) {
    Matching matching(options, places);
    return std::ranges::all_of(parts, [&](std::size_t part) { return matching.place(part); });
}

}  // namespace berth::core
