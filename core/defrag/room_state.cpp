#include "core/defrag/room_state.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "core/support/assert.hpp"

namespace berth::core {
namespace {

/// How many pods of a shape the free amounts allow.
std::int64_t fit_of(const PodShape& shape, std::span<const Amount> free, std::int64_t most) {
    std::int64_t fit = most;
    for (std::size_t r = 0; r < free.size(); ++r) {
        if (shape.demand[r] > 0) {
            fit = std::min(fit, std::max<Amount>(free[r], 0) / shape.demand[r]);
        }
    }
    return fit;
}

std::int64_t fit_of(const PodShape& shape, std::span<const GpuMilli> gpus, std::int64_t most) {
    if (shape.gpu_count == 0) {
        return most;
    }
    std::int64_t fit = 0;
    for (const GpuMilli free : gpus) {
        fit += free / shape.gpu_milli;
    }
    return std::min(most, fit / shape.gpu_count);
}

void add(std::span<GpuMilli> gpus, GpuGrant grant, int sign) {
    for (std::size_t i = 0; i < gpus.size(); ++i) {
        gpus[i] += (grant.devices >> i & 1U) != 0 ? sign * grant.milli : 0;
    }
}

}  // namespace

RoomState::RoomState(const MoveProblem& problem)
    : problem_(&problem),
      free_(problem.free),
      gpus_(problem.gpus),
      on_(problem.servers()),
      job_moves_(problem.jobs.size()),
      budgets_(problem.budgets) {
    at_.reserve(problem.pods.size());
    for (std::uint32_t pod = 0; pod < problem.pods.size(); ++pod) {
        at_.push_back({problem.pods[pod].server, problem.pods[pod].gpus});
        on_[problem.pods[pod].server].push_back(pod);
    }
}

bool RoomState::may_move(std::uint32_t pod) const {
    const MovablePod& one = problem_->pods[pod];
    const std::int64_t most = problem_->goal.moves_max;
    return one.movable && (most == 0 || std::ssize(moves_) < most) &&
           std::ranges::all_of(one.budgets, [&](std::uint32_t b) { return budgets_[b] > 0; });
}

std::optional<GpuGrant> RoomState::gpus_for(const PodShape& shape, std::uint32_t server) const {
    if (gpus_.empty() || shape.gpu_count == 0) {
        return GpuGrant{};
    }
    const std::vector<GpuMilli>& free = gpus_[server];
    GpuGrant grant{0, shape.gpu_milli};
    std::int64_t missing = shape.gpu_count;
    if (shape.gpu_milli < gpu_whole_milli) {
        // The device with the least free that still has enough, so that others stay whole.
        std::optional<std::size_t> tightest;
        for (std::size_t i = 0; i < free.size(); ++i) {
            if (free[i] >= shape.gpu_milli && (!tightest || free[i] < free[*tightest])) {
                tightest = i;
            }
        }
        return tightest ? std::optional(GpuGrant{DeviceMask{1} << *tightest, shape.gpu_milli})
                        : std::nullopt;
    }
    for (std::size_t i = 0; i < free.size() && missing > 0; ++i) {
        if (free[i] >= shape.gpu_milli) {
            grant.devices |= DeviceMask{1} << i;
            --missing;
        }
    }
    return missing == 0 ? std::optional(grant) : std::nullopt;
}

bool RoomState::fits(std::uint32_t pod, std::uint32_t server) const {
    const MovablePod& one = problem_->pods[pod];
    ++questions_;
    return server != at_[pod].server && problem_->allowed[one.allowed][server] &&
           fit_of(one.shape, free(server), 1) == 1 && gpus_for(one.shape, server).has_value();
}

MoveCost RoomState::price(std::uint32_t pod) const {
    const std::uint32_t number = problem_->pods[pod].job;
    const JobOfPods& job = problem_->jobs[number];
    const std::int64_t lost = job.restarts + (job_moves_[number] == 0 ? job.loses : 0);
    return problem_->goal.kind == RoomGoal::Kind::most ? MoveCost{1, lost} : MoveCost{lost, 1};
}

MoveCost RoomState::least_price(std::uint32_t pod) const {
    const std::uint32_t number = problem_->pods[pod].job;
    const JobOfPods& job = problem_->jobs[number];
    const std::int64_t lost = job.restarts + (job_moves_[number] == 0 ? job.loses / job.pods : 0);
    return problem_->goal.kind == RoomGoal::Kind::most ? MoveCost{1, lost} : MoveCost{lost, 1};
}

void RoomState::take(std::uint32_t pod, const At& place, int sign) {
    const PodShape& shape = problem_->pods[pod].shape;
    for (std::size_t r = 0; r < problem_->resources; ++r) {
        free_[place.server * problem_->resources + r] -= sign * shape.demand[r];
    }
    if (!gpus_.empty()) {
        add(gpus_[place.server], place.gpus, -sign);
    }
}

void RoomState::change_server(std::uint32_t pod, const At& place) {
    std::vector<std::uint32_t>& before = on_[at_[pod].server];
    before.erase(std::ranges::lower_bound(before, pod));
    take(pod, at_[pod], -1);
    at_[pod] = place;
    take(pod, place, 1);
    std::vector<std::uint32_t>& after = on_[place.server];
    after.insert(std::ranges::lower_bound(after, pod), pod);
}

void RoomState::move(std::uint32_t pod, std::uint32_t server) {
    BERTH_ASSERT(may_move(pod) && fits(pod, server), "a pod moves to where it may and has room");
    const MovablePod& one = problem_->pods[pod];
    const MoveCost price = this->price(pod);
    const At next{server, *gpus_for(one.shape, server)};
    moves_.push_back({pod, at_[pod].server, server, next.gpus});
    done_.push_back({at_[pod], price, version_});
    version_ = ++last_version_;
    change_server(pod, next);
    cost_ += price;
    ++job_moves_[one.job];
    for (const std::uint32_t budget : one.budgets) {
        --budgets_[budget];
    }
}

void RoomState::undo() {
    BERTH_ASSERT(!moves_.empty(), "a move that happened is taken back");
    const std::uint32_t pod = moves_.back().pod;
    change_server(pod, done_.back().before);
    cost_ = cost_ - done_.back().cost;
    version_ = done_.back().version;
    --job_moves_[problem_->pods[pod].job];
    for (const std::uint32_t budget : problem_->pods[pod].budgets) {
        ++budgets_[budget];
    }
    moves_.pop_back();
    done_.pop_back();
}

void RoomState::undo_to(std::size_t moves) {
    while (moves_.size() > moves) {
        undo();
    }
}

std::int64_t RoomState::copies_without(std::uint32_t server,
                                       std::span<const std::uint32_t> pods) const {
    const RoomGoal& goal = problem_->goal;
    if (goal.domain[server] == RoomGoal::no_domain || !goal.servers[server]) {
        return 0;
    }
    const std::int64_t most =
        goal.kind == RoomGoal::Kind::most ? std::numeric_limits<std::int32_t>::max() : goal.count;
    if (pods.empty()) {
        const std::int64_t fit = fit_of(goal.shape, free(server), most);
        return fit == 0 || gpus_.empty() ? fit : fit_of(goal.shape, gpus_[server], fit);
    }
    std::int64_t fit = most;
    for (std::size_t r = 0; r < problem_->resources && fit > 0; ++r) {
        Amount here = free(server)[r];
        for (const std::uint32_t pod : pods) {
            here += problem_->pods[pod].shape.demand[r];
        }
        if (goal.shape.demand[r] > 0) {
            fit = std::min(fit, std::max<Amount>(here, 0) / goal.shape.demand[r]);
        }
    }
    if (fit == 0 || gpus_.empty()) {
        return fit;
    }
    std::vector<GpuMilli> gpus = gpus_[server];
    for (const std::uint32_t pod : pods) {
        add(gpus, at_[pod].gpus, 1);
    }
    return fit_of(goal.shape, gpus, fit);
}

bool RoomState::is_in_the_way(std::uint32_t pod) const {
    return problem_->pods[pod].shape.demand[problem_->goal.resource] > 0;
}

bool RoomState::is_whole(std::uint32_t server, std::span<const std::uint32_t> without) const {
    const std::size_t resource = problem_->goal.resource;
    Amount here = free(server)[resource];
    for (const std::uint32_t pod : without) {
        here += problem_->pods[pod].shape.demand[resource];
    }
    return here >= problem_->goal.whole_amount[server];
}

/// For each domain, the pods that fit below it, or whether it is whole.
std::vector<std::int64_t> RoomState::by_domain() const {
    const RoomGoal& goal = problem_->goal;
    const bool whole = goal.kind == RoomGoal::Kind::whole;
    std::vector<std::int64_t> sums(goal.domains, whole ? 1 : 0);
    for (std::uint32_t server = 0; server < problem_->servers(); ++server) {
        if (goal.domain[server] != RoomGoal::no_domain) {
            std::int64_t& sum = sums[goal.domain[server]];
            sum = whole ? std::min<std::int64_t>(sum, is_whole(server) ? 1 : 0)
                        : sum + copies(server);
        }
    }
    return sums;
}

std::int64_t RoomState::value() const {
    std::int64_t sum = 0;
    std::int64_t most = 0;
    for (const std::int64_t one : by_domain()) {
        sum += one;
        most = std::max(most, one);
    }
    return problem_->goal.kind == RoomGoal::Kind::copies ? most : sum;
}

bool RoomState::reached() const {
    return problem_->goal.kind != RoomGoal::Kind::most && value() >= problem_->goal.count;
}

void RoomState::append_key(std::vector<std::uint64_t>& key) const {
    std::vector<std::uint32_t> moved;
    for (const PodMove& move : moves_) {
        moved.push_back(move.pod);
    }
    std::ranges::sort(moved);
    const auto [first, last] = std::ranges::unique(moved);
    moved.erase(first, last);
    for (const std::uint32_t pod : moved) {
        key.push_back(std::uint64_t{pod} << 32U | at_[pod].server);
        if (!gpus_.empty() && problem_->pods[pod].shape.gpu_count > 0) {
            key.push_back(at_[pod].gpus.devices);
        }
    }
    for (const std::int64_t left : budgets_) {
        key.push_back(static_cast<std::uint64_t>(left));
    }
    const RoomGoal& goal = problem_->goal;
    if (goal.kind != RoomGoal::Kind::most && goal.moves_max > 0) {
        key.push_back(moves_.size());  // for `most`, the cost says it
    }
}

}  // namespace berth::core
