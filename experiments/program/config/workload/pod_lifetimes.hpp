#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/support/value.hpp"
#include "experiments/program/config/experiment_spec.hpp"
#include "sim/clock/time.hpp"

namespace berth::experiments {

/// How long the pods of a cluster as it is go on, by what controls them and by their priority
/// classes: `lifetime` of the source `running`.
///
/// Pods of a kind that keeps a number of pods, such as a ReplicaSet or a DaemonSet, go on until the
/// run ends unless their kind or priority class is named. No pod goes on for longer than its
/// `activeDeadlineSeconds`.
class PodLifetimes {
public:
    /// `stated`: nullptr: all go on until the run ends. `document`: with the pods that have ended.
    /// Both outlive it. Errors: recorded.
    PodLifetimes(const core::Value* stated,
                 const core::Value& document,
                 core::Diagnostics& diagnostics);

    struct Lifetime {
        /// Nothing: until the run ends. Of one that is drawn, its mean.
        std::optional<sim::SimTime> time;
        std::optional<DrawnLifetime> drawn;
    };
    /// Of one pod; `runs`: it does so from the start. Errors: recorded, once.
    [[nodiscard]] Lifetime of(const core::Value& pod, bool runs);

    /// Says once what of `lifetime` has an effect that nobody may have meant.
    void warn();

    /// Whether run times of pods that have ended are asked for.
    [[nodiscard]] static bool draws_from_ended(const core::Value* stated);

private:
    /// What `lifetime` says of some pods.
    struct Rule {
        std::optional<sim::SimTime> time;  ///< Nothing: until the run ends, or drawn.
        bool drawn = false;
        core::SourceSpan span;
        bool used = false;
    };
    using Rules = std::map<std::string, Rule, std::less<>>;
    using RunTimes = std::shared_ptr<const std::vector<sim::SimTime>>;

    void read(const core::Value& stated);
    [[nodiscard]] Rule read_rule(const core::Value& value);
    void read_ended(const core::Value& document);
    [[nodiscard]] Rule* rule_of(const core::Value& pod, const std::string& kind);
    [[nodiscard]] Lifetime draw(const core::Value& pod, const std::string& kind, bool runs);
    void warn_of_unused(const Rules& rules, std::string_view what, const std::set<std::string>& of);

    core::Diagnostics& diagnostics_;
    Rules of_kind_;   ///< By the kind of who controls a pod.
    Rules of_class_;  ///< By the name of a priority class.
    std::optional<Rule> otherwise_;
    std::map<std::string, RunTimes> ended_;  ///< Rising; by kind, those of all jobs under "".
    sim::SimTime listed_{};                  ///< The latest instant that the file knows of.
    std::set<std::string> kinds_;            ///< Of the pods that were asked about.
    std::set<std::string> classes_;
    bool said_none_ended_ = false;
    std::uint64_t kept_ = 0;       ///< Pods that go on although something else is stated for all.
    std::uint64_t runs_ = 0;       ///< Pods that run and end,
    std::set<sim::SimTime> ends_;  ///< and when.
};

}  // namespace berth::experiments
