#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "experiments/program/why/changes.hpp"
#include "schedulers/kueue/run/kueue_inquiry.hpp"

namespace berth::experiments {

/// Changes with which Kueue would admit a job that waits for quota, each of which was tried.
[[nodiscard]] Changes find_kueue_changes(const sim::Turn& turn, sim::KueueInquiry& inquiry);

/// The parts of find_kueue_changes(), one kind of change each, and what they share.
namespace kueue_changes {

struct Question {
    const sim::Turn& turn;
    sim::KueueInquiry& inquiry;
};

/// Whether an answer is as good as is asked for: admitted, be it after preemptions, or at once.
enum class Wanted : std::uint8_t { in_the_end, at_once };
[[nodiscard]] bool is_enough(const sim::KueueAnswer& answer, Wanted wanted);

/// Notes a change with what it leads to: who is preempted is added to its text and to its keys.
void add(std::string text,
         std::optional<std::int64_t> share,
         nlohmann::ordered_json what,
         const sim::KueueAnswer& answer,
         Changes& out);

/// The largest part of any of the cluster's resources that these amounts are; nothing if the
/// cluster has none of these resources.
[[nodiscard]] std::optional<std::int64_t> share_of(const Question& question,
                                                   const core::kueue::ResourceAmounts& amounts);

/// The resources of a flavor that are asked for and short; all that are asked for if none is.
[[nodiscard]] std::vector<core::kueue::FlavorResource> short_of(
    const Question& question,
    const core::kueue::ResourceGroup& group,
    core::kueue::FlavorId flavor);

void ask_for_less(const Question& question, Changes& out);
void fewer_members(const Question& question, Changes& out);
void higher_priority(const Question& question, Changes& out);
void first_in_queue(const Question& question, Changes& out);
void other_constraints(const Question& question, Changes& out);
void larger_quotas(const Question& question, Changes& out);
void preemption_policies(const Question& question, Changes& out);
void others_end(const Question& question, Changes& out);

}  // namespace kueue_changes

}  // namespace berth::experiments
