#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "sim/backfill/expected_run.hpp"
#include "sim/backfill/planned_backfill.hpp"
#include "sim/backfill/replanned_backfill.hpp"

namespace berth::sim {
namespace {

using core::Members;

/// EASY backfilling: in each cycle, a place is reserved anew for the first waiting job that finds
/// none, and any job that does not delay it may start. Not used with quotas: there, a start may get
/// other jobs admitted in the same cycle, and jobs are tried in the order of the whole queue.
///
/// Source: Lifka, "The ANL/IBM SP Scheduling System" (JSSPP 1995).
/// Cost:   a cycle looks for the reservation once, and then, for each kind of waiting job, at the
///         first job that would end before the reservation begins or fits beside it; jobs that run
///         too long are not looked at. If nothing has changed since the last cycle except that jobs
///         arrived, it looks only at those.
///         came, it looks at those alone.
class EasyBackfill final : public PlannedBackfill {
public:
    using PlannedBackfill::PlannedBackfill;

    void leaves_queue(JobId id) override;
    /// Called when the first waiting job has found no place.
    bool backfill() override;

private:
    /// The next job of a kind that may be tried in a cycle.
    struct Next {
        JobId id;
        std::uint64_t kind = 0;
        SimTime most = never;  ///< A job that runs longer would delay the first one.
    };
    /// The job that has the reservation, and the sequence numbers that the changes of the plan and
    /// of the ledger had reached when it was made.
    struct Reserved {
        JobId id;
        std::uint64_t planned = 0;
        std::uint64_t taken = 0;
    };
    class Offers;
    /// Why a job of a kind was refused beside the reservation.
    enum class Refused : std::uint8_t { delays_the_first, finds_no_place };

    [[nodiscard]] bool still_reserved() const;
    void give_up();
    void start_or_reserve(JobId id, core::Members admitted);
    void start_beside(const Next& trying, core::Members admitted, SimTime& most);
    [[nodiscard]] SimTime most_of(std::uint64_t kind) const;

    std::optional<Reserved> reserved_;
    /// The refusals by kind of job, while nothing changes for the job with the reservation: any
    /// other job of the kind would be refused, too.
    std::map<std::uint64_t, Refused> refused_;
    bool any_started_ = false;
};

constexpr QueueKey before_all{std::numeric_limits<std::int64_t>::min(), 0, 0};
constexpr SimTime nobody{-1};  ///< Shorter than any job runs: no job is tried.

/// The next job of each kind that may be tried, in the order of the queue.
class EasyBackfill::Offers {
public:
    explicit Offers(const WaitingQueue& queue) : queue_(queue) {}

    /// From now on, the first job of the kind after `behind` that runs for at most `most` may be
    /// tried.
    void add(std::uint64_t kind, SimTime most, const QueueKey& behind) {
        if (most == nobody) {
            return;
        }
        if (const auto place = queue_.first_within(kind, most, behind)) {
            next_.emplace(place->key, Next{{place->job}, kind, most});
        }
    }
    [[nodiscard]] bool empty() const { return next_.empty(); }
    std::pair<QueueKey, Next> take() {
        auto first = next_.extract(next_.begin());
        return {first.key(), first.mapped()};
    }

private:
    const WaitingQueue& queue_;
    std::map<QueueKey, Next> next_;
};

/// Whether the reservation would be made again as it is: nothing is held, free or expected that was
/// not then, and no job has arrived that is tried before its job.
bool EasyBackfill::still_reserved() const {
    const QueueKey key = key_of(reserved_->id);
    const auto is_before = [&](std::uint64_t kind) {
        const auto first = waiting().first_within(kind, never, before_all);
        return first && first->key < key;
    };
    return plan().promised_start(reserved_->id) > actions().now() &&
           reserved_->planned == plan().table().changes().sequence() &&
           reserved_->taken == actions().cluster().ledger().changes().sequence() &&
           std::ranges::none_of(waiting().kinds(), is_before);
}

/// Gives the reservation back.
void EasyBackfill::give_up() {
    plan().take_back(std::exchange(reserved_, std::nullopt)->id);
    refused_.clear();
}

void EasyBackfill::leaves_queue(JobId id) {
    if (reserved_ && reserved_->id == id) {
        give_up();
    }
}

/// Starts a job if it can start now; otherwise reserves the place at which it can start.
void EasyBackfill::start_or_reserve(JobId id, Members admitted) {
    const SimTime now = actions().now();
    const SimTime duration = expected_run(actions().job(id));
    auto found = plan().earliest(job(id), admitted, duration, now);
    if (found && found->at == now) {
        start(id, admitted, std::move(found->attempt));
        any_started_ = true;
    } else if (found) {
        plan().promise(id, job(id), std::move(*found), duration);
        reserved_ = {id,
                     plan().table().changes().sequence(),
                     actions().cluster().ledger().changes().sequence()};
    }
}

/// Starts a job if it does not delay the first one. If it would, so would every job of its kind
/// that runs beyond the start of the first one; if it would end by then but finds no place, no job
/// of its kind finds one.
void EasyBackfill::start_beside(const Next& trying, Members admitted, SimTime& most) {
    const JobId id = trying.id;
    const SimTime duration = expected_run(actions().job(id));
    if (auto attempt = plan().start_now(job(id), admitted, duration)) {
        start(id, admitted, std::move(*attempt));
        any_started_ = true;
    } else if (admitted == job(id).size) {
        const SimTime hole = plan().promised_start(reserved_->id) - actions().now();
        refused_[trying.kind] =
            duration > hole ? Refused::delays_the_first : Refused::finds_no_place;
        most = most_of(trying.kind);
    }
}

/// How long a job of the kind may run to be tried beside the reservation.
SimTime EasyBackfill::most_of(std::uint64_t kind) const {
    const auto refused = refused_.find(kind);
    if (refused == refused_.end()) {
        return never;
    }
    return refused->second == Refused::finds_no_place
               ? nobody
               : plan().promised_start(reserved_->id) - actions().now();
}

bool EasyBackfill::backfill() {
    any_started_ = false;
    begin();
    if (reserved_ && !still_reserved()) {
        give_up();
    }
    Offers offers(waiting());
    const QueueKey first = reserved_ ? key_of(reserved_->id) : before_all;
    for (const std::uint64_t kind : waiting().kinds()) {
        offers.add(kind, most_of(kind), first);
    }
    while (!offers.empty()) {
        auto [key, trying] = offers.take();
        const Members admitted = select(trying.id);
        if (admitted > 0 && reserved_) {
            start_beside(trying, admitted, trying.most);
        } else if (admitted > 0) {
            start_or_reserve(trying.id, admitted);
        }
        offers.add(trying.kind, trying.most, key);
    }
    if (reserved_ && (!plan().is_by_amounts() || settings().admission)) {
        give_up();  // more than amounts may change until the next cycle
    }
    return any_started_;
}

std::unique_ptr<Backfilling> plan_by_kinds(BackfillContext context) {
    if (context.settings.quotas) {
        return std::make_unique<ReplannedBackfill>(std::move(context));
    }
    return std::make_unique<EasyBackfill>(std::move(context));
}

}  // namespace

/// Source: Lifka, "The ANL/IBM SP Scheduling System" (JSSPP 1995); Mu'alem and Feitelson,
///         "Utilization, Predictability, Workloads, and User Runtime Estimates in Scheduling the
///         IBM SP2 with Backfilling" (IEEE TPDS 12(6), 2001), section 2.
QueuePolicy make_easy_backfill(QueueOptions& options) {
    QueuePolicy policy = options.order("order", "fifo");
    policy.overtaking = Overtaking::backfill;
    policy.reservations = 1;
    policy.backfilling = &plan_by_kinds;
    return policy;
}

}  // namespace berth::sim
