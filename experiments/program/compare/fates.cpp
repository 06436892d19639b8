#include "experiments/program/compare/fates.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>
#include <tuple>

#include "experiments/program/compare/fate_reader.hpp"

namespace berth::experiments {
namespace {

/// How much a fate changed. A greater value is a larger change.
struct FateChange {
    int outcome = 0;  ///< 2: placed in only one of the runs; 1: another outcome.
    /// Whole microseconds; smaller changes come from rounding in the tables.
    std::int64_t microseconds = 0;

    friend auto operator<=>(const FateChange&, const FateChange&) = default;
};

std::int64_t microseconds_between(const std::optional<double>& a, const std::optional<double>& b) {
    constexpr double most = 1LL << 52;
    return a && b ? std::llround(std::min(std::abs(*a - *b) * 1e6, most)) : 0;
}

FateChange change_of(const Fate& a, const Fate& b) {
    FateChange change;
    if (a.place.empty() != b.place.empty()) {
        change.outcome = 2;
    } else if (a.outcome != b.outcome) {
        change.outcome = 1;
    }
    change.microseconds =
        std::max(microseconds_between(a.wait_s, b.wait_s), microseconds_between(a.jct_s, b.jct_s));
    return change;
}

struct Changed {
    FateChange change;
    const Fate* baseline = nullptr;
    const Fate* other = nullptr;
};

/// The largest changes so far; of equal ones, the earlier.
class Most {
public:
    Most(FateComparison& into, std::size_t count) : into_(into), count_(count) {}

    void add(const ReplicationPair& pair, const Changed& changed) {
        const auto at = std::ranges::upper_bound(changes_, changed.change, std::greater());
        const auto place = at - changes_.begin();
        if (static_cast<std::size_t>(place) == count_) {
            return;
        }
        changes_.insert(at, changed.change);
        into_.most.insert(into_.most.begin() + place,
                          {pair.seed, pair.baseline, *changed.baseline, *changed.other});
        if (changes_.size() > count_) {
            changes_.pop_back();
            into_.most.pop_back();
        }
    }

private:
    FateComparison& into_;
    std::size_t count_;
    std::vector<FateChange> changes_;  ///< The changes of into_.most, in the same order.
};

/// The changes of the groups of one replication, by name.
using GroupChanges = std::map<std::string_view, FateChange>;

GroupChanges changes_of(const std::vector<Fate>& baseline, const std::vector<Fate>& other) {
    std::map<std::string_view, const Fate*> by_name;
    for (const Fate& group : baseline) {
        by_name[group.name] = &group;
    }
    GroupChanges changes;
    for (const Fate& group : other) {
        if (const auto before = by_name.find(group.name); before != by_name.end()) {
            changes[group.name] = change_of(*before->second, group);
        }
    }
    return changes;
}

/// Pairs the fates of pods or of groups, replication by replication.
class Pairing {
public:
    Pairing(FateComparison& out, std::size_t most) : out_(out), most_(out, most) {}

    /// `groups`: members that changed as their group did need not be reported again.
    void add(const ReplicationPair& pair,
             const std::vector<Fate>& baseline,
             const std::vector<Fate>& other,
             const GroupChanges& groups) {
        const auto by_name = [](const std::vector<Fate>& fates) {
            std::vector<std::size_t> order(fates.size());
            std::iota(order.begin(), order.end(), std::size_t{0});
            std::ranges::stable_sort(
                order, {}, [&](std::size_t i) { return std::string_view(fates[i].name); });
            return order;
        };
        const auto a_order = by_name(baseline);
        const auto b_order = by_name(other);
        members_.clear();
        auto a = a_order.begin();
        auto b = b_order.begin();
        while (a != a_order.end() && b != b_order.end()) {
            const int order = baseline[*a].name.compare(other[*b].name);
            if (order == 0) {
                propose(pair, count(baseline[*a], other[*b]), groups);
            }
            out_.baseline_only += order < 0 ? 1 : 0;
            out_.other_only += order > 0 ? 1 : 0;
            a += order <= 0 ? 1 : 0;
            b += order >= 0 ? 1 : 0;
        }
        out_.baseline_only += static_cast<std::size_t>(a_order.end() - a);
        out_.other_only += static_cast<std::size_t>(b_order.end() - b);
        for (const auto& [group, changed] : members_) {
            most_.add(pair, changed);
        }
    }

private:
    Changed count(const Fate& a, const Fate& b) {
        ++out_.both;
        if (a.outcome != b.outcome) {
            ++out_.outcomes[{a.outcome, b.outcome}];
        }
        const bool placed = !a.place.empty() && !b.place.empty();
        out_.moved += placed && a.place != b.place ? 1 : 0;
        if (a.wait_s && b.wait_s) {
            out_.waited_longer += *b.wait_s > *a.wait_s ? 1 : 0;
            out_.waited_shorter += *b.wait_s < *a.wait_s ? 1 : 0;
        }
        return {change_of(a, b), &a, &b};
    }

    void propose(const ReplicationPair& pair, const Changed& changed, const GroupChanges& groups) {
        const std::string& group = changed.baseline->group;
        const auto of_group = groups.find(group);
        if (changed.change == FateChange{} ||
            (of_group != groups.end() && changed.change <= of_group->second)) {
            return;
        }
        if (group.empty()) {
            most_.add(pair, changed);
            return;
        }
        Changed& best = members_[group];
        if (best.baseline == nullptr || changed.change > best.change) {
            best = changed;
        }
    }

    FateComparison& out_;
    Most most_;
    std::map<std::string_view, Changed> members_;  ///< The member of each group that changed most.
};

}  // namespace

FateComparisons compare_fates(const std::filesystem::path& baseline,
                              const std::filesystem::path& other,
                              const std::vector<ReplicationPair>& pairs,
                              std::size_t most) {
    FateComparisons out;
    FateReader a(baseline);
    FateReader b(other);
    Pairing pods(out.pods, most);
    Pairing groups(out.groups, most);
    for (const ReplicationPair& pair : pairs) {
        const FateReader::Replication before = a.read(pair.baseline);
        const FateReader::Replication after = b.read(pair.other);
        const GroupChanges changes = changes_of(before.groups, after.groups);
        if (a.has_groups() && b.has_groups()) {
            groups.add(pair, before.groups, after.groups, {});
        }
        if (a.has_pods() && b.has_pods()) {
            pods.add(pair, before.pods, after.pods, changes);
        }
    }
    return out;
}

}  // namespace berth::experiments
