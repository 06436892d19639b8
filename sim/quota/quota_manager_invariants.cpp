#include <fmt/format.h>

#include "sim/quota/quota_manager.hpp"

namespace berth::sim {

/// Works on a copy of the trees, because runtimes are brought up to date when they are asked for.
std::optional<core::Violation> QuotaManager::find_violation() const {
    if (over_at_ != trees_.changes()) {
        return std::nullopt;  // the kept values are out of date and not used
    }
    core::QuotaTrees trees = trees_;
    std::vector<bool> expected;
    trees.find_over_use(expected);
    for (std::uint32_t i = 0; i < trees.count(); ++i) {
        if (over_[i] != expected[i]) {
            const auto text = [](bool over) { return over ? "it does" : "it does not"; };
            return core::Violation{"it is known which quotas use more than their runtime",
                                   fmt::format("quota {}", trees.name(core::QuotaId{i})),
                                   text(over_[i]),
                                   text(expected[i])};
        }
    }
    return std::nullopt;
}

}  // namespace berth::sim
