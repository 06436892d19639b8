#pragma once

#include <compare>
#include <cstdint>
#include <string_view>

namespace berth::core {

/// The order in which the indices of a group are tried.
enum class GroupOrder : std::uint8_t {
    natural,  ///< Numbers in names compare by value: dev2 comes before dev10.
    bytes,    ///< Names compare as bytes: dev10 comes before dev2.
};

[[nodiscard]] std::strong_ordering compare_names(std::string_view a,
                                                 std::string_view b,
                                                 GroupOrder order);

/// Everything in which the document and the published program differ. The search reads like the
/// document, and asks these rules where the program differs.
struct GroupRules {
    /// Document: by number. Program: as bytes.
    GroupOrder order = GroupOrder::natural;
    /// Document, eq. 17: a location's score is the sum over its resources. Program: their mean.
    bool mean_score = false;
    /// Document: the first of equally good locations. Program: the last, and none below zero.
    bool last_of_equals = false;
    /// Document: a rejected candidate leaves no trace. Program: a location that was once taken
    /// during a search, even below a candidate that was rejected later, is preferred to any
    /// location that the pod has not touched, whatever their scores.
    bool prefers_used = false;
    /// Document, eqs. 22 to 25: an init container's requests for one resource are charged as their
    /// sum. Program: they are charged as their maximum where they are made apart, and as their sum
    /// where they are scored together, so that two of them may pass the first check and fail the
    /// second.
    bool charges_init_stepwise = false;
    /// Document: what no request asks for stays as it is. Program: scorers run over it all the
    /// same, and the enumeration scorer forgets what the node was using.
    bool updates_unrequested = false;
    /// Document: reasons come from every candidate. Program: only if there is a single candidate.
    bool reasons_of_single_candidate = false;
    /// Document: the pod's score is that of the node after all its containers. Program: that after
    /// the last running container that fits, or 0 if this one asks for no group resource.
    bool scores_last_running = false;
    /// Document: the mapping that a container brings is charged whole or not at all. Program: the
    /// part of it that fits stays charged.
    bool keeps_partial_mapping = false;
    /// Document: a pod that asks for GPUs gets them or does not fit. Program: on a node without GPU
    /// keys the count cannot be translated to anything, and the pod fits.
    bool ignores_count_without_keys = false;

    friend bool operator==(const GroupRules&, const GroupRules&) = default;
};

/// Mehrotra, "Group Allocator", as written.
inline constexpr GroupRules paper_group_rules{};
/// KubeDevice d4c0b77 with KubeGPU's plug-in, as it runs.
inline constexpr GroupRules published_group_rules{.order = GroupOrder::bytes,
                                                  .mean_score = true,
                                                  .last_of_equals = true,
                                                  .prefers_used = true,
                                                  .charges_init_stepwise = true,
                                                  .updates_unrequested = true,
                                                  .reasons_of_single_candidate = true,
                                                  .scores_last_running = true,
                                                  .keeps_partial_mapping = true,
                                                  .ignores_count_without_keys = true};

}  // namespace berth::core
