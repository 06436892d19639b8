#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/ledger/ledger.hpp"
#include "sim/job/job.hpp"
#include "sim/profile/answer.hpp"

namespace berth::experiments {

/// A change with which the job would have started at that moment.
struct Change {
    std::string text;
    nlohmann::ordered_json what;  ///< The `kind` of the change, and its details for programs.
    /// The largest share of any of the cluster's resources that the change moves, in units of
    /// 2^-32; nothing for a change that moves no amount.
    std::optional<std::int64_t> share{};
    /// The change takes away more than half of what the job asks for, which is hardly ever
    /// acceptable.
    bool is_far = false;
};

/// The words with each `{key}` replaced by that detail.
[[nodiscard]] std::string worded(std::string_view words, const nlohmann::ordered_json& details);
/// A change whose words state its details.
[[nodiscard]] Change worded_change(const char* kind,
                                   std::string_view words,
                                   const nlohmann::ordered_json& details,
                                   std::optional<std::int64_t> share = {});

/// The changes that were tried. For each, the same decision was made again, on the run as it is or
/// on a copy with the change.
struct Changes {
    /// The smallest share comes first, then changes that move no amount, then those that are far.
    std::vector<Change> found;
    std::vector<std::string> untried;  ///< The changes that were not tried, and why.
};

/// The amount nearest to `not_enough` that is enough, where `enough` is known to be. Found by
/// halving: an amount between one that is enough and `enough` is taken to be enough, too.
template <class Amount, class IsEnough>
Amount nearest_enough(Amount not_enough, Amount enough, IsEnough is_enough) {
    while (std::max(enough, not_enough) - std::min(enough, not_enough) > 1) {
        const Amount middle =
            std::midpoint(std::min(enough, not_enough), std::max(enough, not_enough));
        (is_enough(middle) ? enough : not_enough) = middle;
    }
    return enough;
}

using Amounts = std::vector<core::Amount>;

/// Amounts that could be different, and are turned together.
struct Knob {
    /// From an amount with which the job is not let in, mostly what it is now, as far as it can be
    /// turned. Of several amounts, some may be enough where they begin.
    struct Range {
        core::Amount from = 0;
        core::Amount to = 0;
    };
    /// What an answer must be. `either`: the job is let in; if others are preempted for it, the
    /// amounts with which it is let in at once are another change.
    enum class Wanted : std::uint8_t { in_the_end, at_once, either };

    std::vector<Range> ranges;
    /// What the scheduler decides with these amounts, on a copy of the moment.
    std::function<sim::Answer(const Amounts&)> ask;
    std::function<Change(const Amounts&)> change;
    Wanted wanted = Wanted::either;
};

/// Whether the job is let in, at once or after preemptions.
[[nodiscard]] constexpr bool is_let_in(const sim::Answer& answer) {
    return answer.outcome != sim::Answer::Outcome::refused;
}

/// Looks for the smallest changes with which a scheduler would have let a job in. A scheduler says
/// what it decides about a changed job, and thus gets the knobs that every job has; it brings its
/// own with their words. Each function tries one change, adds the least of it that is enough, and
/// returns whether any is.
///
///     Search search(turn.ledger, job, [&](const sim::Job& changed) { return ask(changed); });
///     search.has_fewer_members();
///     search.turn({{{quota.min, enough}},
///                  [&](const Amounts& min) { return ask_with_min(min.front()); },
///                  [&](const Amounts& min) {
///                      return worded_change("min", "its min is {to}", {{"to", min.front()}});
///                  }});
///     scene.changes = search.take();
class Search {
public:
    using AskAs = std::function<sim::Answer(const sim::Job& changed)>;
    /// The job with another amount.
    using With = std::function<sim::Job(core::Amount)>;

    Search(const core::Ledger& ledger, const sim::Job& job, AskAs ask_as)
        : ledger_(ledger), job_(job), ask_as_(std::move(ask_as)) {}

    /// Turns a knob as little as is enough: all its amounts as far as they go, then one after the
    /// other back as far as the others allow.
    bool turn(const Knob& knob);
    /// Tries a change without amounts.
    bool try_it(const std::function<sim::Answer()>& ask, const Change& change);
    /// The same for a change of the job.
    bool try_as(const sim::Job& changed, const Change& change);
    /// Adds a change that the scheduler answers in this way. Jobs that are preempted in that case
    /// are named in it.
    void add(Change change, const sim::Answer& answer);
    void not_tried(std::string what) { changes_.untried.push_back(std::move(what)); }

    /// The job asks for the largest possible number of steps of a resource.
    bool asks_for_less(std::size_t resource, core::Amount step);
    /// The same where more than the demand changes: `range` counts steps.
    bool asks_for(std::size_t resource, Knob::Range range, core::Amount step, const With& with);
    /// If it is a group: it has as many members as possible, or starts with as many.
    bool has_fewer_members();
    bool starts_with_fewer();
    /// A hard constraint is on another level, or is soft.
    bool constraint_moves(core::Level from, core::Level to);
    bool constraint_is_soft(core::Level level);

    struct Other {
        std::string name;
        Amounts amounts;  ///< The amounts of the cluster's resources that it holds, or nothing.
    };
    /// Numbers of others.
    using Gone = std::vector<std::size_t>;
    /// Other jobs have ended: one of `alone`, or, if no single one is enough, the first of a list,
    /// minus those that need not have ended. They let the job in at once.
    bool others_end(const std::vector<Other>& others,
                    const Gone& alone,
                    const std::vector<Gone>& together,
                    const std::function<sim::Answer(const Gone&)>& ask_without);

    /// The share of the cluster that amounts of its resources are; nothing if there are none.
    [[nodiscard]] std::optional<std::int64_t> share(std::span<const core::Amount> amounts,
                                                    core::Members times = 1) const;
    /// All changes, in their order.
    [[nodiscard]] Changes take();

private:
    bool fewer(const char* kind, const char* words, core::Members now, const With& with);

    const core::Ledger& ledger_;
    const sim::Job& job_;
    AskAs ask_as_;
    Changes changes_;
};

/// The largest share of any of the cluster's resources that `members` times `demand` is, in units
/// of 2^-32: a dominant share, as in sim::QuotaManager.
[[nodiscard]] std::int64_t share_of_cluster(const core::Ledger& ledger,
                                            std::span<const core::Amount> demand,
                                            core::Members members);

}  // namespace berth::experiments
