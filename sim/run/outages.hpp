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
/// it is not kept as a spare, and nothing that it stands below, nor itself, is known to be out.
/// Several outages may hold one server; it is back when the last of them is over. One that is not
/// detected yet leaves it there, broken.
///
/// Cost: O(nodes below what fails + members that lose their places) an outage.
class Outages {
public:
    /// All outlive it. Servers that are absent have left.
    Outages(Cluster& cluster,
            JobLife& jobs,
            const Measures& measures,
            RecordSink& sink,
            const Settings& settings);

    /// A server leaves or comes as the experiment says.
    void change(const NodeChange& change);
    void happen(FailureEvent&& event);
    /// A server on which nobody runs leaves for a drain, or may be back from it. Drains are not
    /// counted as outages.
    void drain(core::ServerId server, bool drained);
    /// A server on which nobody runs leaves to be a spare, or is back from that.
    void keep_as_spare(core::ServerId server, bool spare);
    /// Those that are none any more since the last call, because they failed or were drained.
    [[nodiscard]] std::vector<core::ServerId> take_lost_spares() {
        return std::exchange(lost_spares_, {});
    }
    [[nodiscard]] bool nothing_is_out() const { return open_ == 0; }
    /// The run is over: what is still out has its record now.
    void end();
    /// Computes afresh what is out, from the outages alone.
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
    /// Visits a node and all below it, from above.
    void for_each_below(core::NodeId node, const std::function<void(core::NodeId)>& visit) const;
    /// Whether it does not work, known or not.
    [[nodiscard]] bool is_out(core::NodeId node) const;
    // Something has changed that the node may be out by: it is counted, and a server comes or goes.
    // Return how many jobs lost their places, for that cause.
    std::uint64_t settle(core::NodeId node, bool was_out, std::optional<std::uint32_t> cause);
    std::uint64_t settle_server(core::ServerId server, std::optional<std::uint32_t> cause);
    void record_front();

    Cluster& cluster_;
    JobLife& jobs_;
    const Measures& measures_;
    RecordSink& sink_;
    std::vector<bool> taken_away_;       ///< Servers, by the experiment's events.
    std::vector<bool> drained_;          ///< The same, by its drains.
    std::vector<std::uint32_t> holds_;   ///< Known outages of each node and of those above it.
    std::vector<std::uint32_t> hidden_;  ///< The same of those that are not detected yet.
    std::vector<core::ServerId> lost_spares_;  ///< See take_lost_spares().
    std::deque<Entry> outages_;                ///< By number; the front is still out.
    std::uint64_t first_ = 0;                  ///< The number of the front.
    std::uint64_t open_ = 0;
};

}  // namespace berth::sim
