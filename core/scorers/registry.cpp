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
    return table;  // a scorer named here and not linked is a link error, never a silent absence
}

}  // namespace berth::core
