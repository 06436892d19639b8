#include "sim/scheduler/reservation_plan.hpp"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>

#include "core/fit_index.hpp"
#include "core/support/assert.hpp"

namespace berth::sim {

using core::Amount;
using core::Members;
using core::ServerId;

namespace {

SimTime after(SimTime start, SimTime duration) {
    return duration < never - start ? start + duration : never;
}

}  // namespace

/// How many members fit at a time that goes on from change to change of what is free during all of
/// the time that they would stay.
class ReservationPlan::Search {
public:
    Search(ReservationPlan& plan, const Job& job, Members members, SimTime duration, SimTime at)
        : plan_(plan),
          job_(job),
          members_(members),
          duration_(duration),
          at_(at),
          free_(plan.servers_.size() * plan.resources_),
          fits_(plan.servers_.size()),
          begins_(plan.servers_.size()) {
        for (std::uint32_t server = 0; server < plan.servers_.size(); ++server) {
            look(server);
        }
    }

    [[nodiscard]] SimTime at() const { return at_; }
    /// For as many as have to start; at most `members` are counted of each server.
    [[nodiscard]] bool enough() const { return all_ >= std::min(members_, job_.min_available); }
    /// By server and resource.
    [[nodiscard]] std::span<const Amount> free() const { return free_; }
    /// Goes on to the next time at which anything is different. Returns whether there is one.
    bool advance() {
        if (changes_.empty()) {
            return false;
        }
        at_ = changes_.top().first;
        while (!changes_.empty() && changes_.top().first == at_) {
            const std::uint32_t server = changes_.top().second;
            changes_.pop();
            look(server);
        }
        return true;
    }

private:
    void look(std::uint32_t server) {
        const Server& here = plan_.timeline(server);
        const std::size_t width = plan_.resources_;
        std::size_t& begin = begins_[server];
        while (begin + 1 < here.times.size() && here.times[begin + 1] <= at_) {
            ++begin;
        }
        const SimTime until = after(at_, duration_);
        const std::span least = std::span(free_).subspan(server * width, width);
        std::copy_n(
            here.free.begin() + static_cast<std::ptrdiff_t>(begin * width), width, least.begin());
        std::size_t next = begin + 1;
        for (; next < here.times.size() && here.times[next] < until; ++next) {
            for (std::size_t r = 0; r < width; ++r) {
                least[r] = std::min(least[r], here.free[next * width + r]);
            }
        }
        const Members fit = std::clamp<Members>(core::fit_of(least, job_.demand), 0, members_);
        all_ += fit - fits_[server];
        fits_[server] = fit;
        // It is another where a step leaves the time, or one comes into it.
        SimTime change = begin + 1 < here.times.size() ? here.times[begin + 1] : never;
        if (next < here.times.size() && duration_ != never) {
            change = std::min(change, here.times[next] - duration_ + SimTime(1));
        }
        if (change != never) {
            changes_.emplace(std::max(change, at_ + SimTime(1)), server);
        }
    }

    using Change = std::pair<SimTime, std::uint32_t>;
    ReservationPlan& plan_;
    const Job& job_;
    Members members_;
    SimTime duration_;
    SimTime at_;
    Members all_ = 0;
    std::vector<Amount> free_;
    std::vector<Members> fits_;
    std::vector<std::size_t> begins_;  ///< By server, the step that holds at `at_`.
    std::priority_queue<Change, std::vector<Change>, std::greater<>> changes_;
};

ReservationPlan::ReservationPlan(const Profile& profile, const core::Ledger& ledger)
    : ledger_(ledger),
      changes_(&ledger.changes()),
      resources_(ledger.resource_count()),
      servers_(ledger.topology().server_count()),
      then_(profile, ledger),
      now_free_(profile, ledger) {}

ReservationPlan::Scratch::Scratch(const Profile& profile, const core::Ledger& like)
    : ledger(like), cluster(ledger, profile), placer(profile, cluster, false) {}

void ReservationPlan::set_now(SimTime now) {
    BERTH_ASSERT(now >= now_, "time never goes back");
    now_ = now;
    for (const auto& [end, server, id] : ends_) {
        if (end > now) {
            break;
        }
        servers_[server].stale = true;  // who stays for longer may leave a moment later now
    }
}

void ReservationPlan::servers_changed() {
    for (Server& server : servers_) {
        server.stale = true;
    }
}

void ReservationPlan::add(ServerId server, Piece piece) {
    Server& here = servers_[server.index];
    here.pieces.push_back(std::move(piece));
    here.stale = true;
}

void ReservationPlan::remove(ServerId server, JobId id) {
    Server& here = servers_[server.index];
    std::erase_if(here.pieces, [id](const Piece& piece) { return piece.job == id; });
    here.stale = true;
}

void ReservationPlan::runs(
    JobId id, const Job& job, ServerId server, Members members, SimTime end) {
    Piece piece{id, true, now_, end, members, job.demand};
    for (Amount& amount : piece.amounts) {
        amount *= members;
    }
    add(server, std::move(piece));
    if (end != never) {
        ends_.emplace(end, server.index, id);
    }
}

bool ReservationPlan::stops(JobId id, ServerId server) {
    bool early = false;
    for (const Piece& piece : servers_[server.index].pieces) {
        if (piece.job == id && piece.runs) {
            early = early || piece.to > now_;
            ends_.erase({piece.to, server.index, id});
        }
    }
    remove(server, id);
    return early;
}

/// What runs for longer than expected may end at any moment after this one.
SimTime ReservationPlan::end_of(const Piece& piece) const {
    return piece.runs ? std::max(piece.to, now_ + SimTime(1)) : piece.to;
}

ReservationPlan::Server& ReservationPlan::timeline(std::uint32_t server) {
    Server& here = servers_[server];
    if (here.stale) {
        rebuild(server);
        here.stale = false;
    }
    return here;
}

/// The first step is what nobody has who runs for ever; what runs and is to end is taken of it
/// until then, and what is promised for its time.
void ReservationPlan::rebuild(std::uint32_t server) {
    Server& here = servers_[server];
    struct Change {
        SimTime at{};
        const Piece* piece = nullptr;
        Amount sign = 0;
    };
    std::vector<Change> changes;
    for (const Piece& piece : here.pieces) {
        if (!piece.runs) {
            changes.push_back({piece.from, &piece, -1});
        }
        const SimTime end = end_of(piece);
        if (end != never) {
            changes.push_back({end, &piece, 1});
        }
    }
    std::ranges::stable_sort(changes, {}, &Change::at);
    const core::NodeId node = ledger_.topology().node_of(ServerId{server});
    const auto available = ledger_.available(node);
    here.times.assign(1, SimTime(0));
    here.free.assign(available.begin(), available.end());
    for (const Change& change : changes) {
        if (change.at != here.times.back()) {
            here.times.push_back(change.at);
            const auto last = here.free.end() - static_cast<std::ptrdiff_t>(resources_);
            here.free.insert(here.free.end(), last, last + static_cast<std::ptrdiff_t>(resources_));
        }
        Amount* now = here.free.data() + here.free.size() - resources_;
        for (std::size_t r = 0; r < resources_; ++r) {
            now[r] += change.sign * change.piece->amounts[r];
        }
    }
}

/// Has as much available on a server as is said; it is up or down as it is in the other ledger.
void ReservationPlan::Scratch::show(const core::Ledger& like,
                                    std::uint32_t server,
                                    std::span<const Amount> available) {
    const ServerId id{server};
    if (ledger.is_up(id) != like.is_up(id)) {
        like.is_up(id) ? ledger.bring_up(id) : ledger.take_down(id);
    }
    const auto shown = ledger.available(ledger.topology().node_of(id));
    if (std::ranges::equal(shown, available)) {
        return;
    }
    std::vector<Amount> difference(available.size());
    std::ranges::transform(shown, available, difference.begin(), std::minus());
    ledger.occupy(id, difference);
}

/// The place that the profile chooses.
std::optional<Attempt> ReservationPlan::Scratch::find(const Job& job, Members members) {
    Attempt attempt = placer.find(job, members);
    return attempt.found ? std::optional(std::move(attempt)) : std::nullopt;
}

std::vector<Amount> ReservationPlan::free_during(std::uint32_t server, SimTime from, SimTime to) {
    const Server& here = timeline(server);
    const auto next = std::ranges::upper_bound(here.times, from);
    auto step = static_cast<std::size_t>(next - here.times.begin()) - 1;
    const auto at = [&](std::size_t i) {
        return std::span(here.free).subspan(i * resources_, resources_);
    };
    std::vector<Amount> least(at(step).begin(), at(step).end());
    for (++step; step < here.times.size() && here.times[step] < to; ++step) {
        std::ranges::transform(least, at(step), least.begin(), std::ranges::min);
    }
    return least;
}

void ReservationPlan::show_now(std::uint32_t server) {
    const core::NodeId node = ledger_.topology().node_of(ServerId{server});
    now_free_.show(ledger_, server, ledger_.available(node));
}

/// What runs only gives back: less than now is free later where something is promised, alone.
std::optional<Attempt> ReservationPlan::start_now(const Job& job,
                                                  Members members,
                                                  SimTime duration) {
    if (changes_.has_missed()) {
        for (std::uint32_t server = 0; server < servers_.size(); ++server) {
            show_now(server);
        }
        changes_.skip();
    }
    while (const auto server = changes_.next()) {
        show_now(server->index);
    }
    for (const std::uint32_t server : std::exchange(shown_less_, {})) {
        show_now(server);
    }
    for (const auto& [server, promises] : promised_on_) {
        now_free_.show(ledger_, server, free_during(server, now_, after(now_, duration)));
        shown_less_.push_back(server);
    }
    return now_free_.find(job, members);
}

/// From when on a server has room for a pod for all of its time: `before` if not before that.
SimTime ReservationPlan::first_time_on(
    std::uint32_t server, const Job& job, SimTime duration, SimTime from, SimTime before) {
    const Server& here = timeline(server);
    const auto next = std::ranges::upper_bound(here.times, from);
    auto step = static_cast<std::size_t>(next - here.times.begin()) - 1;
    for (SimTime at = from; at < before; ++step) {
        const Amount* free = here.free.data() + step * resources_;
        bool fits = true;
        for (std::size_t r = 0; r < resources_; ++r) {
            fits = fits && (job.demand[r] == 0 || free[r] >= job.demand[r]);
        }
        const bool last = step + 1 == here.times.size();
        if (fits && (last || here.times[step + 1] >= after(at, duration))) {
            return at;
        }
        if (last) {
            return before;
        }
        at = fits ? at : here.times[step + 1];
    }
    return before;
}

/// From when on any server has.
SimTime ReservationPlan::first_time(const Job& job, SimTime duration, SimTime from) {
    SimTime first = never;
    for (std::uint32_t server = 0; server < servers_.size() && first > from; ++server) {
        first = first_time_on(server, job, duration, from, first);
    }
    return first;
}

std::optional<ReservationPlan::Start> ReservationPlan::earliest(const Job& job,
                                                                Members members,
                                                                SimTime duration,
                                                                SimTime not_before) {
    const SimTime from = std::max(not_before, now_);
    const SimTime first = members == 1 ? first_time(job, duration, from) : from;
    if (first == never) {
        return std::nullopt;
    }
    Search search(*this, job, members, duration, first);
    do {
        if (search.enough()) {
            for (std::uint32_t server = 0; server < servers_.size(); ++server) {
                then_.show(ledger_, server, search.free().subspan(server * resources_, resources_));
            }
            if (auto attempt = then_.find(job, members)) {
                return Start{search.at(), std::move(*attempt)};
            }
        }
    } while (search.advance());
    return std::nullopt;
}

void ReservationPlan::promise(JobId id, const Job& job, Start start, SimTime duration) {
    BERTH_ASSERT(start.at >= now_ && start.attempt.found, "a place is promised that will be free");
    BERTH_ASSERT(!has_promise(id), "a job has one promise");
    const SimTime until = after(start.at, duration);
    for (const core::PlacedNode& node : start.attempt.servers) {
        Piece piece{id, false, start.at, until, node.count, job.demand};
        for (Amount& amount : piece.amounts) {
            amount *= node.count;
        }
        const ServerId server = ledger_.topology().server_of(node.node);
        ++promised_on_[server.index];
        add(server, std::move(piece));
    }
    dues_.emplace(start.at, id);
    promises_.emplace(id, Promise{std::move(start), until});
}

void ReservationPlan::take_back(JobId id) {
    const auto promise = promises_.find(id);
    BERTH_ASSERT(promise != promises_.end(), "a promise is taken back that was made");
    for (const core::PlacedNode& node : promise->second.start.attempt.servers) {
        const ServerId server = ledger_.topology().server_of(node.node);
        remove(server, id);
        if (--promised_on_[server.index] == 0) {
            promised_on_.erase(server.index);
        }
    }
    dues_.erase({promise->second.start.at, id});
    promises_.erase(promise);
}

std::vector<JobId> ReservationPlan::due() const {
    std::vector<JobId> ids;
    for (const auto& [at, id] : dues_) {
        if (at > now_) {
            break;
        }
        ids.push_back(id);
    }
    return ids;
}

std::optional<SimTime> ReservationPlan::next_due() const {
    return dues_.empty() ? std::nullopt : std::optional(dues_.begin()->first);
}

std::optional<Attempt> ReservationPlan::redeem(JobId id) {
    const Promise& promise = promises_.at(id);
    if (promise.start.at != now_) {
        return std::nullopt;
    }
    for (const core::PlacedNode& node : promise.start.attempt.servers) {
        const auto free = ledger_.available(node.node);
        const ServerId server = ledger_.topology().server_of(node.node);
        const auto piece = std::ranges::find_if(servers_[server.index].pieces,
                                                [id](const Piece& one) { return one.job == id; });
        const auto has_room = [](Amount here, Amount asked) { return asked == 0 || here >= asked; };
        if (!ledger_.is_up(server) || !std::ranges::equal(free, piece->amounts, has_room)) {
            return std::nullopt;
        }
    }
    Attempt attempt = promise.start.attempt;
    take_back(id);
    return attempt;
}

}  // namespace berth::sim
