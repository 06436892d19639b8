#include "experiments/program/run/admissions_table.hpp"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <vector>

#include "core/placement/level_constraints.hpp"
#include "core/support/text.hpp"
#include "experiments/program/run/table_row.hpp"

namespace berth::experiments {
namespace {

/// Why a stretch of time ended. A job that ended without quota was dropped.
std::string_view end_word(const sim::QuotaHold& hold) {
    constexpr std::array<std::string_view, 7> words{
        "", "ended", "reduced", "preempted", "not-ready", "stopped", "node-failed"};
    return hold.end == sim::QuotaEnd::ended && !hold.admitted
               ? "dropped"
               : words[static_cast<std::size_t>(hold.end)];
}

std::string amounts_text(const sim::QuotaHold& hold) {
    std::vector<std::string> parts;
    for (const sim::HeldAmount& one : hold.amounts) {
        parts.push_back(fmt::format(
            "{}:{}={}", one.flavor, one.resource, held_amount_text(one.resource, one.amount)));
    }
    return core::join(parts, " ");
}

}  // namespace

std::string held_amount_text(std::string_view resource, core::Amount amount) {
    constexpr core::Amount thousandths = 1000;
    std::string out;
    if (resource != "cpu") {
        append_integer(out, amount);
    } else if (amount % thousandths == 0) {
        append_integer(out, amount / thousandths);
    } else {
        append_number(out, static_cast<double>(amount) / static_cast<double>(thousandths));
    }
    return out;
}

void write_admissions_row(std::string& out, std::uint32_t replication, const sim::QuotaHold& hold) {
    TableRow row(out);
    row.integer(replication)
        .text(hold.job)
        .text(hold.cluster_queue)
        .text(hold.local_queue)
        .seconds(hold.queued)
        .seconds(hold.admitted)
        .seconds(hold.from)
        .seconds(hold.told)
        .seconds(hold.until)
        .plain(end_word(hold));
    if (hold.admitted) {
        row.integer(hold.members);
    } else {
        row.empty();
    }
    row.text(amounts_text(hold)).text(hold.preemptor).text(hold.preemptor_queue).text(hold.reason);
    row.end();
}

std::string asked_for(const sim::Job& job, const core::Topology& tree) {
    std::vector<std::string> parts;
    for (std::uint32_t i = 0; job.constraints && i < job.constraints->level_count(); ++i) {
        const core::Level level{i};
        if (!job.constraints->stated(level)) {
            continue;
        }
        const core::LevelConstraint& one = job.constraints->at(level);
        const bool packs = one.affinity == core::Affinity::pack;
        if (packs && i == 0) {
            parts.emplace_back("unconstrained");  // all of the cluster is one place
        } else {
            parts.push_back(fmt::format("{}{} {}",
                                        packs ? "" : "spread ",
                                        one.hard ? "required" : "preferred",
                                        tree.level_name(level)));
        }
    }
    return core::join(parts, "; ");
}

}  // namespace berth::experiments
