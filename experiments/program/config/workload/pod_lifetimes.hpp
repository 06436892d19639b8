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

/// How long a cluster lets a pod or a Job run, by its spec (`activeDeadlineSeconds`); nothing if it
/// states no limit. Errors: recorded.
[[nodiscard]] std::optional<sim::SimTime> deadline_of(const core::Value& spec,
                                                      core::Diagnostics& diagnostics);

/// The shorter of two times, of which each may be without end.
[[nodiscard]] std::optional<sim::SimTime> shorter(const std::optional<sim::SimTime>& one,
                                                  const std::optional<sim::SimTime>& other);

/// How long the pods of a listed cluster go on, by their controllers and their priority classes:
/// `lifetime` of the source `running`.
///
/// Pods of a kind that keeps up a number of pods, such as a ReplicaSet or a DaemonSet, go on until
/// the run ends unless their kind or priority class is named. No pod goes on longer than its
/// `activeDeadlineSeconds`.
class PodLifetimes {
public:
    /// `stated`: nullptr if all pods go on until the run ends. `document`: includes the pods that
    /// have ended. Both must outlive this. Errors: recorded.
    PodLifetimes(const core::Value* stated,
                 const core::Value& document,
                 core::Diagnostics& diagnostics);

    struct Lifetime {
        /// Nothing: until the run ends. For a drawn lifetime, its mean.
        std::optional<sim::SimTime> time;
        std::optional<DrawnLifetime> drawn;
    };
    /// The lifetime of one pod. `runs`: whether it runs from the start. Errors: recorded, once.
    [[nodiscard]] Lifetime of(const core::Value& pod, bool runs);

    /// Warns once about effects of `lifetime` that may not be intended.
    void warn();

    /// Whether the run times of ended pods are asked for.
    [[nodiscard]] static bool draws_from_ended(const core::Value* stated);

private:
    /// What `lifetime` says about some pods.
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
    Rules of_kind_;   ///< Keyed by the kind of a pod's controller.
    Rules of_class_;  ///< Keyed by the name of the priority class.
    std::optional<Rule> otherwise_;
    std::map<std::string, RunTimes> ended_;  ///< Ascending run times by kind; under "" those of all
                                             ///< jobs.
    sim::SimTime listed_{};                  ///< The latest instant that the file tells.
    std::set<std::string> kinds_;            ///< Kinds of the pods that were asked about.
    std::set<std::string> classes_;
    bool said_none_ended_ = false;
    std::uint64_t kept_ = 0;       ///< Pods that go on although a time is stated for all other
                                   ///< pods.
    std::uint64_t runs_ = 0;       ///< Pods that run from the start and end.
    std::set<sim::SimTime> ends_;  ///< The times after which these end.
};

}  // namespace berth::experiments
