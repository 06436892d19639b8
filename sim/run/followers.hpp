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

/// Jobs that depend on others: they are kept from when they are submitted until what they wait for
/// has happened. Then they arrive, and only from then on do they wait in the queue.
///
/// Cost:   O(dependencies) for each job that is kept and each number that it waits for; memory for
///         the jobs that are kept, and 64 bytes for each number that a job has or waits for.
class Followers {
public:
    explicit Followers(EventQueue& events) : events_(events) {}

    /// A job that waits for others.
    struct Kept {
        std::optional<Job> job;    ///< Nothing: it has arrived, and this entry is free.
        std::uint64_t number = 0;  ///< How many jobs come before it in the source.
        bool comes = false;        ///< Whether it is known when it arrives.
    };

    /// Whether a job that is submitted now has to wait for others: if so, it is taken over, and
    /// arrives with a submit event of its own.
    [[nodiscard]] bool keeps(Job& job, std::uint64_t number, SimTime now);
    /// Takes out the job of a submit event whose time has come. `subject`: that of the event, above
    /// 0.
    [[nodiscard]] Kept take(std::uint32_t subject);
    /// Whether any jobs are kept, which may still arrive.
    [[nodiscard]] bool keeps_any() const { return kept_.size() > free_.size(); }
    /// Whether it is known for any of them when it arrives.
    [[nodiscard]] bool somebody_comes() const { return coming_ > 0; }

    void started(const Ties& ties, SimTime now);
    void ended(const Ties& ties, bool succeeded, SimTime now);

    /// The jobs that have not arrived by the end of the run, in the order of the source, each with
    /// the reason.
    [[nodiscard]] std::vector<std::pair<Kept, std::string>> take_rest();

private:
    /// The progress of the jobs of one number.
    struct Progress {
        std::uint32_t started = 0;
        std::uint32_t ended = 0;
        std::uint32_t failed = 0;
        SimTime last_start{};
        SimTime last_end{};
        std::uint32_t jobs = 0;              ///< Jobs with this number in total; 0: no job waits
                                             ///< for them.
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
