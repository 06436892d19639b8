#include "core/gpu_sharing/gpu_score_index.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <boost/random/uniform_int_distribution.hpp>
#include <numeric>
#include <optional>
#include <random>
#include <utility>

#include "core/support/assert.hpp"

namespace berth::core {
namespace {

/// Known verdicts by everything that they depend on according to the policies' contract. Most
/// servers are like some other server, and finding that out costs less than a score.
///
/// Cost: O(resources) for each server. Of all servers that share a slot, only the last is
///       remembered.
template <class Verdict>
class KnownVerdicts {
public:
    explicit KnownVerdicts(const Ledger& ledger) : ledger_(ledger), gpus_(ledger.gpus()) {}

    template <class Judge>
    Verdict of(ServerId server, Judge judge) {
        Slot& slot = slots_[hash(server) % slots_.size()];
        if (!slot.is_set || !alike(slot.server, server)) {
            slot = {server, judge(server), true};
        }
        return slot.verdict;
    }

private:
    struct Slot {
        ServerId server;
        Verdict verdict = 0;
        bool is_set = false;
    };

    [[nodiscard]] std::span<const Amount> available(ServerId server) const {
        return ledger_.available(ledger_.topology().node_of(server));
    }
    [[nodiscard]] std::size_t hash(ServerId server) const {
        constexpr std::uint64_t factor = 0x9E3779B97F4A7C15U;
        std::uint64_t hash = gpus_.set(server);
        for (const Amount amount : available(server)) {
            hash = (hash ^ static_cast<std::uint64_t>(amount)) * factor;
        }
        return hash >> 32U;
    }
    [[nodiscard]] bool alike(ServerId a, ServerId b) const {
        return gpus_.set(a) == gpus_.set(b) && gpus_.model(a) == gpus_.model(b) &&
               gpus_.kinds(a) == gpus_.kinds(b) && ledger_.is_up(a) == ledger_.is_up(b) &&
               std::ranges::equal(available(a), available(b));
    }

    const Ledger& ledger_;
    const GpuShares& gpus_;
    std::array<Slot, 1024> slots_{};
};

}  // namespace

ServerOrder ServerOrder::drawn(std::uint32_t servers, std::uint64_t seed) {
    std::mt19937_64 bits(seed);
    ServerOrder order;
    for (std::uint32_t server = 0; server < servers; ++server) {
        order.server.push_back(ServerId{server});
    }
    for (std::uint32_t left = servers; left > 1; --left) {
        const auto other =
            boost::random::uniform_int_distribution<std::uint32_t>(0, left - 1)(bits);
        std::swap(order.server[left - 1], order.server[other]);
    }
    order.place.resize(servers);
    for (std::uint32_t place = 0; place < servers; ++place) {
        order.place[order.server[place].index] = place;
    }
    return order;
}

GpuScoreIndex::GpuScoreIndex(const Ledger& ledger,
                             std::vector<Amount> demand,
                             const GpuRequest& request,
                             GpuPod pod,
                             GpuPolicy& policy,
                             const ServerOrder* order,
                             const ServerRule* also)
    : ledger_(ledger),
      tree_(ledger.topology()),
      demand_(std::move(demand)),
      cpu_(tree_.resources().find("cpu").value_or(demand_.size())),
      pod_(pod),
      policy_(policy),
      order_(order),
      also_(also),
      changes_(&ledger.changes()) {
    BERTH_ASSERT(demand_.size() == ledger.resource_count() && demand_.size() < 64,
                 "a demand is by the schema, with a bit for each resource and one for the rule");
    BERTH_ASSERT(request.count == pod.count && request.milli == pod.milli,
                 "the policy sees what the pod asks for");
    BERTH_ASSERT(order == nullptr || order->place.size() == tree_.server_count(),
                 "an order has a place for each server");
    if (request.count > 0) {
        accepted_ = ledger.gpus().models().accepted(request);
    }
    std::size_t size = tree_.server_count();
    do {
        levels_.emplace_back((size + block - 1) / block * block);
        size = levels_.back().size() / block;
    } while (size > 1);
    servers_with_[0] = tree_.server_count();
    lacks_.push_back(0);  // the entry of the padding
    rebuild();
}

/// The verdict on a server that lacks these resources. If there are more combinations than a
/// verdict can tell apart, the last one stands for all that follow.
GpuScoreIndex::Verdict GpuScoreIndex::lacking(Lacks lacks) {
    for (std::size_t known = 1; known < lacks_.size(); ++known) {
        if (lacks_[known] == lacks || known + 1 == servers_with_.size()) {
            return static_cast<Verdict>(known);
        }
    }
    lacks_.push_back(lacks);
    return static_cast<Verdict>(lacks_.size() - 1);
}

GpuScoreIndex::Verdict GpuScoreIndex::verdict(ServerId server) {
    ++servers_scored_;
    const std::span<const Amount> available = ledger_.available(tree_.node_of(server));
    const Lacks lacks = lacking_amounts(ledger_, server, demand_);
    if (lacks != 0) {
        return lacking(lacks);
    }
    const GpuShares& gpus = ledger_.gpus();
    GpuServer view{cpu_ < available.size() ? available[cpu_] : 0,
                   gpus.set(server),
                   gpus.free(server),
                   gpus.model(server),
                   gpus.kinds(server)};
    if (!accepted_.empty() &&
        (accepted_[view.model] == 0 || !gpus.sets().fits(view.set, pod_.milli, pod_.count))) {
        return lacking(lacks_rule);
    }
    if (also_ != nullptr && !also_->score(server)) {
        return lacking(lacks_rule);
    }
    const std::int32_t score = policy_.score(view, pod_);
    BERTH_ASSERT(score >= 0 && score <= 100, "a score is within [0, 100]");
    const std::int32_t beyond = policy_.beyond(view, pod_);
    BERTH_ASSERT(
        beyond < GpuPolicy::beyond_steps &&
            beyond >= (score == 0 ? GpuPolicy::beyond_lowest : 1 - GpuPolicy::beyond_steps),
        "what is beyond a score stays between the scores beside it");
    return static_cast<Verdict>(score_zero + score * GpuPolicy::beyond_steps + beyond);
}

GpuScoreIndex::Verdict GpuScoreIndex::best_of_block(std::size_t level, std::size_t number) const {
    const Verdict* const verdicts = levels_[level].data() + number * block;
    Verdict best = 0;
    for (std::size_t i = 0; i < block; ++i) {
        best = std::max(best, verdicts[i]);
    }
    return best;
}

void GpuScoreIndex::count(Verdict verdict, std::int32_t servers) {
    std::uint32_t& counter =
        verdict >= feasible ? feasible_count_ : servers_with_[static_cast<std::size_t>(verdict)];
    counter += static_cast<std::uint32_t>(servers);
}

void GpuScoreIndex::set(std::size_t place, Verdict verdict) {
    Verdict& known = levels_[0][place];
    if (known == verdict) {
        return;
    }
    count(known, -1);
    count(verdict, 1);
    Verdict before = std::exchange(known, verdict);
    Verdict after = verdict;
    std::size_t at = place / block;
    for (std::size_t level = 1; level < levels_.size(); ++level, at /= block) {
        Verdict& best = levels_[level][at];
        if (after <= best && before < best) {
            break;  // neither verdict is the best of its block
        }
        after = after > best ? after : best_of_block(level - 1, at);
        before = std::exchange(best, after);
        if (after == before) {
            break;
        }
    }
}

void GpuScoreIndex::rebuild() {
    KnownVerdicts<Verdict> alike(ledger_);
    const auto judge = [this](ServerId server) { return verdict(server); };
    for (std::uint32_t server = 0; server < tree_.server_count(); ++server) {
        // Another rule may distinguish servers that are alike here.
        const Verdict verdict =
            also_ == nullptr ? alike.of(ServerId{server}, judge) : judge(ServerId{server});
        Verdict& known = levels_[0][place(server)];
        count(known, -1);
        count(verdict, 1);
        known = verdict;
    }
    for (std::size_t level = 1; level < levels_.size(); ++level) {
        for (std::size_t at = 0; at < levels_[level - 1].size() / block; ++at) {
            levels_[level][at] = best_of_block(level - 1, at);
        }
    }
}

void GpuScoreIndex::catch_up() {
    if (changes_.has_missed()) {
        rebuild();
        changes_.skip();
    }
    while (const auto server = changes_.next()) {
        set(place(server->index), verdict(*server));
    }
    BERTH_AUDIT(std::accumulate(servers_with_.begin(), servers_with_.end(), feasible_count_) ==
                    tree_.server_count(),
                "every server has one verdict");
    BERTH_AUDIT(std::ranges::max(levels_.front()) == std::ranges::max(levels_.back()),
                "the best of all servers is the best of the best of all blocks");
}

std::optional<ServerId> GpuScoreIndex::best() {
    if (feasible_count_ == 0) {
        return std::nullopt;
    }
    if (policy_.draws_server()) {
        const std::uint32_t drawn = policy_.draw(feasible_count_);
        BERTH_ASSERT(drawn < feasible_count_, "a policy draws one of the servers that fit");
        return server_at(nth_feasible(drawn));
    }
    const Verdict best = best_of_block(levels_.size() - 1, 0);
    std::size_t at = 0;
    for (std::size_t level = levels_.size(); level-- > 0;) {
        const Verdict* const verdicts = levels_[level].data() + at * block;
        at = at * block +
             static_cast<std::size_t>(std::find(verdicts, verdicts + block, best) - verdicts);
    }
    BERTH_ASSERT(levels_[0][at] >= feasible, "where servers fit, the best of all is one of them");
    return server_at(at);
}

/// Cost: O(servers), reading two bytes for each.
std::size_t GpuScoreIndex::nth_feasible(std::uint32_t n) const {
    const std::vector<Verdict>& verdicts = levels_[0];
    for (std::size_t at = 0;; at += block) {
        const auto here = static_cast<std::uint32_t>(
            std::ranges::count_if(std::span(verdicts).subspan(at, block),
                                  [](Verdict verdict) { return verdict >= feasible; }));
        if (n >= here) {
            n -= here;
            continue;
        }
        while (verdicts[at] < feasible || n-- > 0) {
            ++at;
        }
        return at;
    }
}

std::uint32_t GpuScoreIndex::insufficient_count(std::size_t resource) const {
    std::uint32_t count = 0;
    for (std::size_t verdict = 1; verdict < lacks_.size(); ++verdict) {
        count += (lacks_[verdict] >> resource & 1) != 0 ? servers_with_[verdict] : 0;
    }
    return count;
}

std::uint32_t GpuScoreIndex::refused_count() const {
    return insufficient_count(static_cast<std::size_t>(std::countr_zero(lacks_rule)));
}

}  // namespace berth::core
