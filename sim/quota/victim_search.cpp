#include "sim/quota/victim_search.hpp"

#include <algorithm>
#include <utility>

#include "core/support/assert.hpp"

namespace berth::sim {

std::optional<std::vector<std::size_t>> VictimSearch::find(std::size_t candidates) {
    std::size_t gone = 0;
    for (bool enough = false; !enough;) {
        if (gone == candidates) {
            set_gone(0, candidates, false);
            return std::nullopt;
        }
        const std::size_t next = std::min(2 * gone + 1, candidates);
        set_gone(gone, next, true);
        gone = next;
        enough = questions_.enough();
    }
    victims_.clear();
    spare(0, gone);
    std::ranges::reverse(victims_);
    return std::exchange(victims_, {});
}

void VictimSearch::set_gone(std::size_t begin, std::size_t end, bool gone) {
    for (std::size_t i = begin; i < end; ++i) {
        questions_.set_gone(i, gone);
    }
}

/// They are gone, and with the victims so far and those before them it is enough.
void VictimSearch::spare(std::size_t begin, std::size_t end) {
    BERTH_ASSERT(begin < end, "there is somebody to ask about");
    set_gone(begin, end, false);
    if (questions_.enough()) {
        return;
    }
    set_gone(begin, end, true);
    if (end - begin == 1) {
        victims_.push_back(begin);
        return;
    }
    const std::size_t middle = begin + (end - begin) / 2;
    spare(middle, end);
    spare(begin, middle);
}

}  // namespace berth::sim
