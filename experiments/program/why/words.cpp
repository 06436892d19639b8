#include "experiments/program/why/words.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/support/text.hpp"
#include "sim/measure/group_shape.hpp"

namespace berth::experiments {

std::string times(std::uint64_t count, std::string_view what) {
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string names_text(const std::vector<std::string>& names, std::size_t shown_max) {
    const auto shown = static_cast<std::ptrdiff_t>(std::min(names.size(), shown_max));
    const std::string first =
        core::join(std::vector<std::string>(names.begin(), names.begin() + shown), ", ");
    return names.size() > shown_max ? fmt::format("{} and {} more", first, names.size() - shown_max)
                                    : first;
}

std::string stage_text(WhyStage stage, const std::string& subject) {
    const bool phrase = stage == WhyStage::admission;
    return subject.empty() ? std::string(to_string(stage))
           : phrase        ? fmt::format("{}: {}", to_string(stage), subject)
                           : fmt::format("{} {}", to_string(stage), subject);
}

std::string place_text(const core::Topology& tree, const Story& story) {
    const sim::JobRecord& record = story.record;
    if (!record.job.group) {
        const sim::Stint& stint = record.stints.back();
        const std::string gpus = story.gpus.back().empty() ? "" : story.gpus.back().front();
        return fmt::format(
            "on {}{}", tree.path(tree.node_of(stint.server)), gpus.empty() ? "" : ", GPUs " + gpus);
    }
    std::vector<std::string> parts;
    const sim::GroupShape shape = sim::shape_of(record.placement, tree);
    for (std::uint32_t level = 1; level < tree.level_count(); ++level) {
        parts.push_back(fmt::format("{} {}{}",
                                    shape.levels[level].used,
                                    tree.level_name(core::Level{level}),
                                    shape.levels[level].used == 1 ? "" : "s"));
    }
    return fmt::format("with {} members, on {}", record.placed, core::join(parts, ", "));
}

std::string share_text(const Change& change) {
    if (!change.share) {
        return "";
    }
    constexpr double whole = 4294967296.0;
    return fmt::format(" ({:.2f} % of the cluster)",
                       100 * static_cast<double>(*change.share) / whole);
}

}  // namespace berth::experiments
