#include <array>

#include "core/index/scorer.hpp"

namespace berth::core {

#define BERTH_SCORER(function, name, summary) std::unique_ptr<Scorer> make_##function();
#include "core/scorers/scorers.def"
#undef BERTH_SCORER

std::span<const ScorerEntry> scorers() {
    static constexpr std::array table{
#define BERTH_SCORER(function, name, summary) ScorerEntry{name, summary, &make_##function},
#include "core/scorers/scorers.def"
#undef BERTH_SCORER
    };
    // a scorer that is listed but not linked is a link error and never silently missing
    return table;
}

}  // namespace berth::core
