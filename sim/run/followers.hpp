#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sim/clock/event_queue.hpp"
#include "sim/job/dependency.hpp"
#include "sim/job/job.hpp"

namespace berth::sim {

/// Jobs that come after others: it keeps them from when they are submitted until what they wait for
/// has happened. Then they arrive, and only from then on they wait in the queue.
///
/// Cost:   O(dependencies) for each job that is kept and each number that it waits for; memory for
///         the jobs that are kept, and 64 bytes for each number that somebody has or waits for.
class Followers {
public:
    explicit Followers(EventQueue& events) : events_(events) {}

    /// A job that waits for others.
    struct Kept {
        std::optional<Job> job;    ///< Nothing: it has come, and the place is free.
        std::uint64_t number = 0;  ///< How many come before it in the source.
        bool comes = false;        ///< It is known when.
    };

    /// Whether a job that is submitted now has to wait for others: then it is taken, and comes with
    /// a submit event of its own.
    [[nodiscard]] bool keeps(Job& job, std::uint64_t number, SimTime now);
    /// The job of a submit event, whose time has come. `subject`: the event's, above 0.
    [[nodiscard]] Kept take(std::uint32_t subject);
    /// Whether any are kept, and may come.
    [[nodiscard]] bool keeps_any() const { return kept_.size() > free_.size(); }
    /// Whether it is known of any when it comes.
    [[nodiscard]] bool somebody_comes() const { return coming_ > 0; }

    void started(const Ties& ties, SimTime now);
    void ended(const Ties& ties, bool succeeded, SimTime now);

    /// Those that have not come by the end of the run, in the order of the source, each with the
    /// reason.
    [[nodiscard]] std::vector<std::pair<Kept, std::string>> take_rest();

private:
    /// How far the jobs of one number are.
    struct Progress {
        std::uint32_t started = 0;
        std::uint32_t ended = 0;
        std::uint32_t failed = 0;
        SimTime last_start{};
        SimTime last_end{};
        std::uint32_t jobs = 0;              ///< Of this number in all; 0: nobody waits for them.
        std::vector<std::uint32_t> waiting;  ///< Indices into kept_.
    };
    [[nodiscard]] std::optional<SimTime> met_at(const Dependency& one) const;
    [[nodiscard]] std::optional<SimTime> met_at(const std::vector<Dependency>& all) const;
    [[nodiscard]] std::string why_not(const Dependency& one) const;
    void look_again(Progress& progress, SimTime now);
    void let_come(std::uint32_t index, SimTime at);

    EventQueue& events_;
    std::unordered_map<std::uint64_t, Progress> progress_;
    std::vector<Kept> kept_;
    std::vector<std::uint32_t> free_;
    std::uint64_t coming_ = 0;
};

}  // namespace berth::sim
