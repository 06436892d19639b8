#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "core/support/violation.hpp"
#include "sim/cluster/cluster.hpp"
#include "sim/failures/failure_source.hpp"
#include "sim/job/records.hpp"
#include "sim/measure/measures.hpp"
#include "sim/profile/settings.hpp"
#include "sim/run/job_life.hpp"

namespace berth::sim {

/// What is out, and why: a server is there if no event and no drain of the experiment took it away,
/// it is not kept as a spare, and neither it nor any node above it is known to be out. Several
/// outages may hold one server; it is back when the last of them is over. An outage that is not
/// detected yet leaves its servers there, broken.
///
/// Cost: O(nodes below what fails + members that lose their places) per outage.
class Outages {
public:
    /// All arguments outlive it. Servers that are absent have already left.
    Outages(Cluster& cluster,
            JobLife& jobs,
            const Measures& measures,
            RecordSink& sink,
            const Settings& settings);

    /// A server leaves or comes as the experiment says.
    void change(const NodeChange& change);
    void happen(FailureEvent&& event);
    /// A server on which no job runs leaves for a drain, or may be back from it. Drains are not
    /// counted as outages.
    void drain(core::ServerId server, bool drained);
    /// A server on which no job runs leaves to be a spare, or is back from that.
    void keep_as_spare(core::ServerId server, bool spare);
    /// Servers that are no longer spares since the last call, because they failed or were drained.
    [[nodiscard]] std::vector<core::ServerId> take_lost_spares() {
        return std::exchange(lost_spares_, {});
    }
    [[nodiscard]] bool nothing_is_out() const { return open_ == 0; }
    /// The run is over: outages that are not over get their records now.
    void end();
    /// Checks what is out, computed afresh from the outages alone.
    [[nodiscard]] std::optional<core::Violation> find_violation() const;

private:
    struct Entry {
        Outage outage;
        bool detected = false;
        bool over = false;
    };
    void begin(Outage&& outage, bool detected);
    void detect(Entry& entry);
    void finish(Entry& entry);
    /// Visits a node and all nodes below it, from the top down.
    void for_each_below(core::NodeId node, const std::function<void(core::NodeId)>& visit) const;
    /// Whether a node does not work, known or not.
    [[nodiscard]] bool is_out(core::NodeId node) const;
    // Something that may take the node out has changed: this is counted, and a server comes or
    // goes. Both return how many jobs lost their places, for that cause.
    std::uint64_t settle(core::NodeId node, bool was_out, std::optional<std::uint32_t> cause);
    std::uint64_t settle_server(core::ServerId server, std::optional<std::uint32_t> cause);
    void record_front();

    Cluster& cluster_;
    JobLife& jobs_;
    const Measures& measures_;
    RecordSink& sink_;
    std::vector<bool> taken_away_;       ///< Servers that the experiment's events took away.
    std::vector<bool> drained_;          ///< Servers that the experiment's drains took away.
    std::vector<std::uint32_t> holds_;   ///< Number of known outages of each node and of the nodes
                                         ///< above it.
    std::vector<std::uint32_t> hidden_;  ///< Number of such outages that are not detected yet.
    std::vector<core::ServerId> lost_spares_;  ///< See take_lost_spares().
    std::deque<Entry> outages_;                ///< Outages by number; the front one is still out.
    std::uint64_t first_ = 0;                  ///< The number of the front outage.
    std::uint64_t open_ = 0;
};

}  // namespace berth::sim
