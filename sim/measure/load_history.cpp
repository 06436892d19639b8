#include "sim/measure/load_history.hpp"

#include <algorithm>

#include "core/support/assert.hpp"

namespace berth::sim {
namespace {

void add_times(Load& sum, const Load& load, double factor) {
    sum.in_system += load.in_system * factor;
    sum.waiting += load.waiting * factor;
    sum.allocated += load.allocated * factor;
}

}  // namespace

void LoadRecorder::settle(SimTime now, const Load& load) {
    if (over_) {
        return;
    }
    if (now > settled_) {
        add(settled_, now);
        settled_ = now;
    }
    now_ = load;
}

void LoadRecorder::arrived(SimTime now, std::uint64_t ended, bool more) {
    BERTH_ASSERT(!over_, "nobody arrives after the last job");
    ++counts_.jobs;
    counts_.ended = ended;
    counts_.last_arrival = now;
    if (!more && now > settled_) {
        add(settled_, now);
        settled_ = now;
    }
    over_ = !more;
}

void LoadRecorder::add(SimTime begin, SimTime end) {
    BERTH_ASSERT(begin >= SimTime(0) && begin < end, "time goes on, and never goes back");
    const SimTime last(end.count() - 1);
    while (last / slice_ >= static_cast<std::int64_t>(slices_max)) {
        double_slices();
    }
    sums_.resize(static_cast<std::size_t>(last / slice_) + 1);
    for (SimTime at = begin; at < end;) {
        const SimTime left = std::min(slice_ - at % slice_, end - at);
        add_times(sums_[static_cast<std::size_t>(at / slice_)], now_, seconds(left));
        at += left;
    }
}

void LoadRecorder::double_slices() {
    for (std::size_t i = 0; i < sums_.size(); i += 2) {
        Load sum = sums_[i];
        if (i + 1 < sums_.size()) {
            add_times(sum, sums_[i + 1], 1);
        }
        sums_[i / 2] = sum;
    }
    sums_.resize((sums_.size() + 1) / 2);
    slice_ *= 2;
}

LoadHistory LoadRecorder::result(SimTime end) const {
    LoadHistory out = counts_;
    out.last_arrival = over_ ? counts_.last_arrival : end;
    out.slice = slice_;
    const auto whole = static_cast<std::size_t>(out.last_arrival.count() / slice_.count());
    for (std::size_t i = 0; i < std::min(whole, sums_.size()); ++i) {
        add_times(out.means.emplace_back(), sums_[i], 1 / seconds(slice_));
    }
    return out;
}

}  // namespace berth::sim
