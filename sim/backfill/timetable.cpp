#include "sim/backfill/timetable.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/support/assert.hpp"

namespace berth::sim {

using core::Amount;
using core::Members;
using core::ServerId;

Timetable::Timetable(const Cluster& cluster)
    : cluster_(cluster),
      ledger_(cluster.ledger()),
      resources_(ledger_.resource_count()),
      server_count_(ledger_.topology().server_count()),
      inside_count_(cluster.inside().places()),
      places_(std::max(server_count_, inside_count_)),
      changes_(std::clamp<std::size_t>(server_count_, 1024, std::size_t{1} << 16)),
      freed_(std::clamp<std::size_t>(server_count_, 1024, std::size_t{1} << 16)) {}

void Timetable::note_change(std::uint32_t place) {
    if (place < server_count_) {
        changes_.add(ServerId{place});
    }
}

void Timetable::make_stale(std::uint32_t place) {
    places_[place].stale = true;
    note_change(place);
}

std::optional<SimTime> Timetable::next_end(SimTime time) const {
    const SimTime any_moment = now_ + SimTime(1);
    const auto next =
        time < any_moment ? ends_.begin() : ends_.lower_bound({time + SimTime(1), 0, JobId{0}});
    return next == ends_.end() ? std::nullopt
                               : std::optional(std::max(std::get<SimTime>(*next), any_moment));
}

std::optional<SimTime> Timetable::last_end(SimTime time) const {
    const SimTime any_moment = now_ + SimTime(1);
    const auto behind = ends_.lower_bound({time + SimTime(1), 0, JobId{0}});
    if (time < any_moment || behind == ends_.begin()) {
        return std::nullopt;
    }
    return std::max(std::get<SimTime>(*std::prev(behind)), any_moment);
}

void Timetable::set_now(SimTime now) {
    BERTH_ASSERT(now >= now_, "time never goes back");
    if (now == now_) {
        return;
    }
    now_ = now;
    // Members that stay for longer than expected may now leave a moment later.
    bool any_stays = false;
    for (const auto& [end, server, id] : ends_) {
        if (end > now) {
            break;
        }
        make_stale(server);
        any_stays = true;
    }
    for (std::uint32_t place = server_count_; any_stays && place < places_.size(); ++place) {
        make_stale(place);
    }
}

void Timetable::servers_changed() {
    for (std::uint32_t place = 0; place < places_.size(); ++place) {
        make_stale(place);
    }
    for (std::uint32_t server = 0; server < server_count_; ++server) {
        note_freed(ServerId{server});
    }
}

/// The piece's server, and the shared places where it takes something.
std::vector<std::uint32_t> Timetable::places_of(const Piece& piece) const {
    std::vector<std::uint32_t> places{piece.server.index};
    for (const Grant& grant : piece.grants) {
        for (const std::uint32_t place : cluster_.inside().places_of(piece.server, grant)) {
            if (std::ranges::find(places, place) == places.end()) {
                places.push_back(place);
            }
        }
    }
    return places;
}

/// A piece for members on one server, with no times yet.
Timetable::Piece Timetable::piece(JobId id,
                                  const Job& job,
                                  ServerId server,
                                  Members members,
                                  std::span<const Grant> grants) const {
    Piece piece{id, server, std::nullopt, never, job.demand};
    piece.grants.assign(grants.begin(), grants.end());
    if (job.per_server_max > 0) {
        piece.limited = members;
        piece.application = job.application;
    }
    for (Amount& amount : piece.amounts) {
        amount *= members;
    }
    for (const Grant& grant : grants) {
        const auto beside = cluster_.inside().beside(grant);
        for (std::size_t r = 0; r < beside.size(); ++r) {
            piece.amounts[r] += beside[r];
        }
    }
    return piece;
}

void Timetable::add(const Piece& piece) {
    for (const std::uint32_t place : places_of(piece)) {
        places_[place].pieces.push_back(piece);
        change_steps(place, piece, &Timetable::begin_turn);
        if (piece.from) {
            ++promised_at_[place];
        }
    }
}

void Timetable::take_back(JobId id, ServerId server) {
    const auto is_gone = [&](const Piece& piece) {
        return piece.job == id && piece.server == server;
    };
    std::vector<std::uint32_t> places;
    for (const Piece& piece : places_[server.index].pieces) {
        if (is_gone(piece)) {
            std::ranges::copy(places_of(piece), std::back_inserter(places));
        }
    }
    for (const std::uint32_t place : places) {
        Place& here = places_[place];
        for (const Piece& piece : here.pieces) {
            if (is_gone(piece)) {
                change_steps(place, piece, &Timetable::end_turn);
                if (piece.from && --promised_at_[place] == 0) {
                    promised_at_.erase(place);
                }
            }
        }
        std::erase_if(here.pieces, is_gone);
    }
}

void Timetable::runs(JobId id, const Job& job, const Stint& stint, SimTime end) {
    Piece here = piece(id, job, stint.server, stint.members, stint.grants);
    here.to = end;
    add(here);
    if (end != never) {
        ends_.emplace(end, stint.server.index, id);
    }
}

void Timetable::promise(JobId id,
                        const Job& job,
                        ServerId server,
                        Members members,
                        std::span<const Grant> grants,
                        SimTime from,
                        SimTime to) {
    Piece here = piece(id, job, server, members, grants);
    here.from = from;
    here.to = to;
    add(here);
}

bool Timetable::stops(JobId id, ServerId server, SimTime now) {
    BERTH_ASSERT(now >= now_, "members stop now");
    bool early = false;
    for (const Piece& piece : places_[server.index].pieces) {
        if (piece.job == id && !piece.from) {
            early = early || piece.to > now;
            ends_.erase({piece.to, server.index, id});
        }
    }
    take_back(id, server);
    return early;
}

/// Members that run for longer than expected may end at any moment after this one.
SimTime Timetable::end_of(const Piece& piece) const {
    return piece.from ? piece.to : std::max(piece.to, now_ + SimTime(1));
}

Members Timetable::pods(const Job& job, std::uint32_t server, std::size_t begin, std::size_t end) {
    const Place& here = at(server);
    Members most = 0;
    for (std::size_t step = begin; step < end; ++step) {
        const SimTime time = std::max(here.times[step], now_);
        Members count = 0;
        for (const Piece& piece : here.pieces) {
            const bool there = piece.from.value_or(now_) <= time && time < end_of(piece);
            count += there && piece.application == job.application ? piece.limited : 0;
        }
        most = std::max(most, count);
    }
    return most;
}

bool Timetable::is_free_now(JobId id,
                            const Job& job,
                            std::span<const core::PlacedNode> servers) const {
    const Inside& inside = cluster_.inside();
    std::map<std::uint32_t, Inside::Taken> taken;  // taken by place, including earlier members
    for (const core::PlacedNode& node : servers) {
        const ServerId server = ledger_.topology().server_of(node.node);
        for (const Piece& piece : places_[server.index].pieces) {
            if (piece.job != id || !piece.from) {
                continue;
            }
            if (!has_room_now(server, piece, job)) {
                return false;
            }
            for (const Grant& grant : piece.grants) {
                for (const std::uint32_t place : inside.places_of(server, grant)) {
                    const auto [at, fresh] = taken.try_emplace(place);
                    if (fresh) {
                        at->second = inside.taken(place);
                    }
                    if (!inside.is_free(place, grant, at->second)) {
                        return false;
                    }
                    inside.put_in(place, grant, at->second);
                }
            }
        }
    }
    return true;
}

/// Whether there is room by the piece's amounts, and by the limit of its application.
bool Timetable::has_room_now(ServerId server, const Piece& piece, const Job& job) const {
    const auto has_room = [](Amount here, Amount asked) { return asked == 0 || here >= asked; };
    Members of_application = piece.limited;
    for (const Piece& other : places_[server.index].pieces) {
        of_application += !other.from && other.application == piece.application ? other.limited : 0;
    }
    return ledger_.is_up(server) &&
           std::ranges::equal(
               ledger_.available(ledger_.topology().node_of(server)), piece.amounts, has_room) &&
           (job.per_server_max == 0 || of_application <= job.per_server_max);
}

}  // namespace berth::sim
