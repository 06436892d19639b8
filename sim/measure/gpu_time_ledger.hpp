#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/ledger/ledger.hpp"
#include "core/support/violation.hpp"
#include "sim/clock/time.hpp"
#include "sim/clock/window.hpp"
#include "sim/cluster/cluster.hpp"
#include "sim/job/job_state.hpp"
#include "sim/job/stretch.hpp"
#include "sim/measure/gpu_time.hpp"
#include "sim/meter/metric.hpp"

namespace berth::sim {

/// Knows, for one kind of waiting job, how many of the GPUs are idle, by what keeps a member of the
/// job off their server.
///
/// Units:  thousandths of a GPU.
/// Cost:   building is O(servers); catch_up() is one look at each server that changed.
class GpuIdleIndex {
public:
    /// `gpu` is the GPU resource. Of the job, only its demand and devices matter, and `met`, the
    /// number of windows that it meets: DrainCalendar::met().
    GpuIdleIndex(const Cluster& cluster, Job job, std::size_t gpu, std::uint32_t met = 0);

    /// Brings the index up to the ledger. To be called before reading, after any change.
    void catch_up();
    [[nodiscard]] core::Amount idle(Lack lack) const {
        return idle_[static_cast<std::size_t>(lack)];
    }
    /// The number of members of a group for which there is room in total.
    [[nodiscard]] core::Members places() const { return places_; }
    /// Compares the index, caught up, with one that is built anew.
    [[nodiscard]] std::optional<core::Violation> find_violation() const;
    /// How many times a server has been looked at so far. Tests use it to check that the work
    /// depends on changes, not on the size.
    [[nodiscard]] std::uint64_t looks() const { return looks_; }

private:
    /// What a server contributes to the sums.
    struct Here {
        core::Amount idle = 0;
        core::Members places = 0;
        Lack lack = Lack::nothing;
    };
    void look_at(core::ServerId server);

    const Cluster& cluster_;
    Job job_;
    std::size_t gpu_;
    std::uint32_t met_;
    std::array<core::ChangeReader, 3> changes_;  ///< Changes of the ledger, and of the job's rule.
    std::vector<Here> here_;                     ///< The contribution of each server.
    std::array<core::Amount, lack_count> idle_{};
    core::Members places_ = 0;
    std::uint64_t looks_ = 0;
};

/// The idle GPUs of a server that is up; none on a server that is over-committed from outside.
[[nodiscard]] core::Amount idle_gpus(const core::Ledger& ledger,
                                     core::ServerId server,
                                     std::size_t gpu);

/// Gives every GPU-second of a run one use: allocated, or one cause of being idle.
///
/// At each instant, the first asked_max waiting jobs that ask for GPUs are asked in turn, in the
/// order in which they began to wait. Each explains as many idle GPUs as it asks for, as long as
/// any are left unexplained; the last one explains as many as it and all jobs behind it ask for.
/// What a job explains goes to `quota` if its quota does not admit it. Otherwise it is divided
/// among the causes in proportion to the idle GPUs on the servers where each cause keeps a member
/// of the job out, rounded so that the parts sum to the whole. What no job explains is no_demand.
/// Idle GPUs of a server that is being drained are not explained by jobs: they are drained, whether
/// the server is there or away.
///
/// Shape:  the GPUs are the `nvidia.com/gpu` of the machine types, on all servers of the topology,
///         including those that are down.
/// Units:  thousandths of a GPU times nanoseconds, as 128-bit integers: the uses sum to the whole.
/// Cost:   at an instant at which something changed, a look at each changed server for each kind of
///         job asked, or O(servers) for a kind that was not asked lately; O(log waiting) for each
///         job that comes or goes.
class GpuTimeLedger {
public:
    /// How many jobs are asked at one instant.
    static constexpr std::size_t asked_max = 8;

    /// Whether the topology has GPUs to account for.
    [[nodiscard]] static bool has_gpus(const core::Topology& tree);
    /// The topology must satisfy has_gpus(). The servers `left_out` do not count as part of the
    /// cluster. Uses without gain after `last` are not distinguished from `allocated`. `spares`:
    /// the run keeps spare servers.
    explicit GpuTimeLedger(const Cluster& cluster,
                           Window window = {},
                           const std::vector<core::ServerId>& left_out = {},
                           GpuTimeUse last = GpuTimeUse::failed,
                           bool spares = false);

    /// A job began to wait. `number` grows with each job that does; the job keeps its address,
    /// demand and size until leaves() is called.
    void waits(std::uint64_t number, const Job& job, JobId id);
    void leaves(std::uint64_t number, const Job& job);

    /// Members leave their places. The part of their time that brought nothing lasting is taken out
    /// of `allocated` and counted under its own uses.
    void stint_over(const Job& job, const Stint& stint, const Stretch& stretch);

    /// Whether the quota of a job refuses it now.
    using OverQuota = std::function<bool(JobId)>;
    /// Accounts for the time up to `now` with the state as it was, then takes in the changes. To be
    /// called after everything that happened at one instant, before the clock goes on.
    void settle(SimTime now, const OverQuota& over_quota);

    /// After settle(): compares what it counts of the servers and of the waiting jobs with them.
    [[nodiscard]] std::optional<core::Violation> find_violation() const;

    /// The GPU time by use, up to the last settle(); empty if no time has passed.
    [[nodiscard]] std::vector<GpuTime> result() const { return shares_of(sum_, end_); }
    /// The same within the window.
    [[nodiscard]] std::vector<GpuTime> measured() const {
        return shares_of(measured_, window_.measured(end_));
    }
    /// Adds the share of each use and, if uses without gain are distinguished, `goodput`.
    void add_to(std::vector<Metric>& out) const;

private:
    __extension__ using Wide = __int128;
    using ByUse = std::array<Wide, gpu_time_use_count>;
    /// What a server contributes to the sums.
    struct Here {
        core::Amount idle = 0;
        core::Amount failed = 0;
        core::Amount drained = 0;
        core::Amount spare = 0;
        bool left_out = false;
    };
    struct Waiting {
        const Job* job = nullptr;
        JobId id;
    };
    struct Asked {
        Waiting waiting;
        GpuIdleIndex* idle = nullptr;
    };
    /// Jobs of one kind lack the same on every server. The last element is DrainCalendar::met().
    using Kind = std::tuple<Demand, std::string, core::GpuRequest, bool, std::uint32_t>;
    struct KindIndex {
        std::unique_ptr<GpuIdleIndex> idle;
        std::uint64_t last_used = 0;
    };

    /// Whether this use exists in this run.
    [[nodiscard]] bool has(GpuTimeUse use) const {
        return use == GpuTimeUse::drained ? !cluster_.calendar().empty()
               : use == GpuTimeUse::spare ? tells_spares_
                                          : use <= last_;
    }
    [[nodiscard]] bool tells_gain() const { return last_ > GpuTimeUse::failed; }
    [[nodiscard]] std::optional<core::Violation> find_wrong_sum() const;
    [[nodiscard]] std::vector<GpuTime> shares_of(const ByUse& sums, SimTime time) const;
    [[nodiscard]] Here look(core::ServerId server) const;
    void look_at(core::ServerId server);
    void look_at_changes();
    void choose_whom_to_ask();
    GpuIdleIndex& idle_index(const Job& job);
    void divide(const OverQuota& over_quota);
    void divide_by_lack(core::Amount explained, const Asked& asked);
    [[nodiscard]] GpuTimeUse use_for(Lack lack, const Asked& asked) const;
    [[nodiscard]] Wide demand(const Job& job) const { return Wide{job.size} * job.demand[gpu_]; }
    core::Amount& part(GpuTimeUse use) { return now_[static_cast<std::size_t>(use)]; }

    const Cluster& cluster_;
    const core::Ledger& ledger_;
    std::size_t gpu_;
    Window window_;
    GpuTimeUse last_;
    bool tells_spares_;
    core::ChangeReader changes_;
    SimTime end_{};
    core::Amount capacity_ = 0;
    core::Amount idle_ = 0;
    core::Amount failed_ = 0;
    core::Amount drained_ = 0;
    core::Amount spare_ = 0;
    std::vector<Here> here_;                    ///< The contribution of each server.
    std::map<std::uint64_t, Waiting> waiting_;  ///< Waiting jobs that ask for GPUs, by their
                                                ///< numbers.
    Wide waiting_demand_ = 0;                   ///< Their total demand, which may exceed the
                                                ///< cluster.
    std::vector<Asked> asked_;                  ///< The first of these jobs.
    std::optional<std::uint64_t> asked_last_;   ///< The number of the last job in asked_.
    bool asked_stale_ = false;
    std::map<Kind, KindIndex> kinds_;
    std::uint64_t uses_ = 0;
    /// GPUs by use, since `end_`; time without gain is taken out later.
    std::array<core::Amount, gpu_time_use_count> now_{};
    ByUse sum_{};       ///< GPU time by use, up to `end_`.
    ByUse measured_{};  ///< GPU time by use in the window, up to `end_`.
};

}  // namespace berth::sim
