// The steps of a timetable: what is free at a place from which time on.

#include <algorithm>
#include <iterator>

#include "core/support/assert.hpp"
#include "sim/backfill/timetable.hpp"

namespace berth::sim {

using core::Amount;
using core::ServerId;

std::size_t Timetable::Place::step_at(SimTime time) const {
    const auto next = std::ranges::upper_bound(times, time);
    BERTH_ASSERT(next != times.begin(), "the first step has begun");
    return static_cast<std::size_t>(next - times.begin()) - 1;
}

SimTime Timetable::first_room(std::uint32_t server,
                              std::span<const Amount> demand,
                              SimTime duration,
                              SimTime from,
                              SimTime before) {
    const Place& here = at(server);
    std::size_t step = here.step_at(from);
    for (SimTime start = from; start < before; ++step) {
        const Amount* free = here.free.data() + step * resources_;
        bool fits = true;
        for (std::size_t r = 0; r < resources_; ++r) {
            fits = fits && (demand[r] == 0 || free[r] >= demand[r]);
        }
        const bool last = step + 1 == here.times.size();
        if (fits && (last || here.times[step + 1] >= after(start, duration))) {
            return start;
        }
        if (last) {
            return before;
        }
        start = fits ? start : here.times[step + 1];
    }
    return before;
}

/// A piece begins or ends at a time: less, or more, is free from then on.
void Timetable::begin_turn(Place& here, SimTime at, std::span<const Amount> amounts, int sign) {
    const auto next = std::ranges::lower_bound(here.times, at);
    auto step = static_cast<std::size_t>(next - here.times.begin());
    if (next == here.times.end() || *next != at) {
        here.times.insert(next, at);
        here.turns.insert(here.turns.begin() + static_cast<std::ptrdiff_t>(step), 0);
        const auto fresh = here.free.begin() + static_cast<std::ptrdiff_t>(step * resources_);
        here.free.insert(fresh, resources_, 0);
        std::copy_n(&here.free[(step - 1) * resources_], resources_, &here.free[step * resources_]);
    }
    ++here.turns[step];
    for (Amount* free = here.free.data() + step * resources_; step < here.times.size(); ++step) {
        for (std::size_t r = 0; r < resources_; ++r, ++free) {
            *free += sign * amounts[r];
        }
    }
}

/// The opposite: the piece no longer begins or ends at that time.
void Timetable::end_turn(Place& here, SimTime at, std::span<const Amount> amounts, int sign) {
    const auto found = std::ranges::lower_bound(here.times, at);
    BERTH_ASSERT(found != here.times.end() && *found == at, "a piece that goes begins and ends");
    const auto first = static_cast<std::size_t>(found - here.times.begin());
    Amount* free = here.free.data() + first * resources_;
    for (std::size_t step = first; step < here.times.size(); ++step) {
        for (std::size_t r = 0; r < resources_; ++r, ++free) {
            *free -= sign * amounts[r];
        }
    }
    if (--here.turns[first] == 0 && first > 0) {
        const auto gone = here.free.begin() + static_cast<std::ptrdiff_t>(first * resources_);
        here.free.erase(gone, gone + static_cast<std::ptrdiff_t>(resources_));
        here.turns.erase(here.turns.begin() + static_cast<std::ptrdiff_t>(first));
        here.times.erase(found);
    }
}

void Timetable::change_steps(std::uint32_t place, const Piece& piece, Turn turn) {
    Place& here = places_[place];
    note_change(place);
    if (place < inside_count_ || place >= server_count_) {
        here.stale = true;
    }
    if (here.stale) {
        return;
    }
    here.shifted = true;
    if (piece.from) {
        (this->*turn)(here, *piece.from, piece.amounts, -1);
    }
    if (const SimTime end = end_of(piece); end != never) {
        (this->*turn)(here, end, piece.amounts, 1);
    }
}

/// Sets the first step to what the server has now, and changes the other steps by as much.
void Timetable::shift(std::uint32_t place) {
    Place& here = places_[place];
    shift_.resize(resources_);
    cluster_.available_in_plans(ServerId{place}, shift_);
    here.shifted = false;
    if (std::equal(shift_.begin(), shift_.end(), here.free.begin())) {
        return;
    }
    for (std::size_t r = 0; r < resources_; ++r) {
        shift_[r] -= here.free[r];
    }
    for (auto step = here.free.begin(); step != here.free.end();) {
        for (const Amount more : shift_) {
            *step++ += more;
        }
    }
}

/// The first step is what is free now. Running members give back what they have when they end, and
/// promises take what they need for their time.
void Timetable::rebuild(std::uint32_t place) {
    Place& here = places_[place];
    struct Change {
        SimTime at{};
        const Piece* piece = nullptr;
        Amount sign = 0;
    };
    std::vector<Change> changes;
    for (const Piece& piece : here.pieces) {
        if (piece.from) {
            changes.push_back({*piece.from, &piece, -1});
        }
        const SimTime end = end_of(piece);
        if (end != never) {
            changes.push_back({end, &piece, 1});
        }
    }
    std::ranges::sort(changes, {}, &Change::at);
    here.stale = false;
    here.shifted = false;
    here.times.assign(1, SimTime(0));
    here.turns.assign(1, 0);
    if (place < server_count_) {
        here.free.resize(resources_);
        cluster_.available_in_plans(ServerId{place}, here.free);
    } else {
        here.free.assign(resources_, 0);
    }
    for (const Change& change : changes) {
        if (change.at != here.times.back()) {
            here.times.push_back(change.at);
            here.turns.push_back(0);
            const auto last = here.free.end() - static_cast<std::ptrdiff_t>(resources_);
            here.free.insert(here.free.end(), last, last + static_cast<std::ptrdiff_t>(resources_));
        }
        ++here.turns.back();
        Amount* now = here.free.data() + here.free.size() - resources_;
        for (std::size_t r = 0; r < resources_; ++r) {
            now[r] += change.sign * change.piece->amounts[r];
        }
    }
    if (place < inside_count_) {
        rebuild_inside(place);
    }
}

/// At each step, what running members have that are not expected to have left by then, plus what is
/// promised: where running members stay for longer than expected, the two may overlap.
void Timetable::rebuild_inside(std::uint32_t place) {
    Place& here = places_[place];
    const Inside& inside = cluster_.inside();
    const Inside::Taken now = inside.taken(place);
    here.inside.assign(here.times.size(), now);
    for (std::size_t step = 0; step < here.times.size(); ++step) {
        const SimTime at = here.times[step];
        for (const Piece& piece : here.pieces) {
            for (const Grant& grant : piece.grants) {
                if (!piece.from && end_of(piece) <= at) {
                    inside.take_out(place, grant, here.inside[step]);
                }
            }
        }
        for (const Piece& piece : here.pieces) {
            for (const Grant& grant : piece.grants) {
                if (piece.from && *piece.from <= at && at < piece.to) {
                    inside.put_in(place, grant, here.inside[step]);
                }
            }
        }
    }
}

Inside::Taken Timetable::taken(std::uint32_t place, std::size_t begin, std::size_t end) {
    const Place& here = at(place);
    Inside::Taken taken = here.inside[begin];
    for (std::size_t step = begin + 1; step < end; ++step) {
        cluster_.inside().put_in_either(place, here.inside[step], taken);
    }
    return taken;
}

}  // namespace berth::sim
