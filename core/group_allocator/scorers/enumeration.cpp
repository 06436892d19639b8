#include <bit>

#include "core/group_allocator/group_scorer.hpp"

namespace berth::core {
namespace {

int bits(Amount mask) {
    return std::popcount(static_cast<std::uint64_t>(mask));
}

/// enumeration: the amount is a set of bits, and each bit is an attribute that the resource has. A
/// request names the bits that it accepts, and one shared bit is enough. Bits are not used up:
/// nothing is charged to the node.
/// Source: the published program's enum scorer.
class EnumerationScorer final : public GroupScorer {
public:
    [[nodiscard]] Amount total(Amount one, Amount other) const override { return one | other; }
    [[nodiscard]] Amount carry(Amount before, Amount next, bool /*init*/) const override {
        return before | next;
    }
    [[nodiscard]] GroupScore score(Amount allocatable,
                                   Amount pod,
                                   Amount /*node*/,
                                   Amount requested,
                                   bool /*init*/) const override {
        const Amount mask = allocatable & (pod | requested);
        const int all = bits(allocatable);
        const double unused = all - bits(mask);
        return {requested == 0 || (allocatable & requested) != 0,
                all > 0 ? 1.0 - unused / all : 0.0,
                mask,
                0};
    }
    [[nodiscard]] Amount returned(Amount /*node*/, Amount /*pod*/) const override { return 0; }
};

}  // namespace

const GroupScorer& get_enumeration() {
    static const EnumerationScorer scorer;
    return scorer;
}

}  // namespace berth::core
