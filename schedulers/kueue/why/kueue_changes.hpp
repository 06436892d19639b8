#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "experiments/program/why/changes.hpp"
#include "schedulers/kueue/run/kueue_inquiry.hpp"

namespace berth::experiments {

/// Changes with which Kueue would admit a job that waits for quota. Each of them was tried.
[[nodiscard]] Changes find_kueue_changes(const sim::Turn& turn, sim::KueueInquiry& inquiry);

/// The parts of find_kueue_changes(), each for one kind of change, and the code that they share.
namespace kueue_changes {

struct Question {
    const sim::Turn& turn;
    sim::KueueInquiry& inquiry;
};

/// What is asked of an answer: that the job is admitted, even after preemptions, or that it is
/// admitted at once.
enum class Wanted : std::uint8_t { in_the_end, at_once };
[[nodiscard]] bool is_enough(const sim::KueueAnswer& answer, Wanted wanted);

/// Adds a change with its consequences: preempted jobs are added to its text and its keys.
void add(std::string text,
         std::optional<std::int64_t> share,
         nlohmann::ordered_json what,
         const sim::KueueAnswer& answer,
         Changes& out);

/// The largest share of any of the cluster's resources in these amounts; nothing if the cluster has
/// none of these resources.
[[nodiscard]] std::optional<std::int64_t> share_of(const Question& question,
                                                   const core::kueue::ResourceAmounts& amounts);

/// The requested resources of a flavor that are short; if none is, all requested ones.
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
