#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>

#include "sim/backfill/timetable.hpp"

namespace berth::sim {

using core::Violation;

namespace {

/// A text for what identifies a piece. For a promise this is whose it is, where and when: the job
/// may have changed since, or be gone until a plan is made anew.
std::string text(const Timetable::Piece& piece) {
    const std::string who = fmt::format("job number {} on server {}, {} grants",
                                        piece.job.index,
                                        piece.server.index,
                                        piece.grants.size());
    return piece.from ? fmt::format("{}, promised from {} ns", who, piece.from->count())
                      : fmt::format("{}, {} of each resource, {} limited, until {} ns",
                                    who,
                                    fmt::join(piece.amounts, " "),
                                    piece.limited,
                                    piece.to.count());
}

std::vector<std::string> texts(const std::vector<Timetable::Piece>& pieces) {
    std::vector<std::string> out;
    for (const Timetable::Piece& piece : pieces) {
        out.push_back(text(piece));
    }
    std::ranges::sort(out);
    return out;
}

}  // namespace

/// Checks that a table made anew from the same stays has the same pieces, ends and counts, and that
/// steps that are said to be up to date are those that a rebuild gives.
std::optional<Violation> Timetable::find_violation(std::span<const Stay> all) const {
    Timetable fresh(cluster_);
    fresh.now_ = now_;
    for (const Stay& stay : all) {
        const Job nobody;
        Piece here = piece(stay.id,
                           stay.from ? nobody : *stay.job,
                           stay.server,
                           stay.members,
                           stay.from ? std::span<const Grant>() : stay.grants);
        here.grants.assign(stay.grants.begin(), stay.grants.end());
        here.from = stay.from;
        here.to = stay.to;
        fresh.add(here);
        if (!stay.from && stay.to != never) {
            fresh.ends_.emplace(stay.to, stay.server.index, stay.id);
        }
    }
    for (std::uint32_t place = 0; place < places(); ++place) {
        const auto found = texts(places_[place].pieces);
        const auto expected = texts(fresh.places_[place].pieces);
        if (found != expected) {
            const auto [one, other] = std::ranges::mismatch(found, expected);
            return Violation{"the plan has the running jobs and what is promised, place by place",
                             fmt::format("place {}", place),
                             one == found.end() ? "no more" : *one,
                             other == expected.end() ? "no more" : *other};
        }
    }
    if (ends_ != fresh.ends_ || promised_at_ != fresh.promised_at_) {
        return Violation{
            "the plan knows when running jobs are to leave, and where there are promises",
            "the plan",
            fmt::format("{} ends, {} places", ends_.size(), promised_at_.size()),
            fmt::format("{} ends, {} places", fresh.ends_.size(), fresh.promised_at_.size())};
    }
    Timetable again = *this;  // with its pieces in the same order
    for (std::uint32_t place = 0; place < places(); ++place) {
        if (places_[place].stale) {
            continue;
        }
        const Place here = again.at(place);
        again.rebuild(place);
        const Place& rebuilt = again.places_[place];
        if (here.times != rebuilt.times || here.turns != rebuilt.turns ||
            here.free != rebuilt.free || here.inside != rebuilt.inside) {
            return Violation{
                "what the plan says is free when follows from its pieces and from what "
                "is free now",
                fmt::format("place {}", place),
                fmt::format("{} steps", here.times.size()),
                fmt::format("{} steps, as they are built anew", rebuilt.times.size())};
        }
    }
    return std::nullopt;
}

}  // namespace berth::sim
