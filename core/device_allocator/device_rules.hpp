#pragma once

namespace berth::core {

/// Where the published program departs from what the document says or a user expects. Each flag is
/// false for the document's rules and true for the program's, so that code follows the document
/// unless the program is asked for. The comment of a flag states the document's side first.
/// Source: Koordinator's design "Device Allocate Hint APIs"; its program at a7a1b76b,
///         pkg/scheduler/plugins/deviceshare.
struct DeviceRules {
    // --- What a request means
    /// Under RequestsAsCount the amount is a count, which may be any number. Program: 101 to 199 is
    /// refused, since above 100 only hundreds are amounts.
    bool counts_are_amounts = false;
    /// ApplyForAll and RequestsAsCount decide what the amount means. Program: a multiple of 100
    /// above 100 always means that many whole devices.
    bool hundreds_override_strategy = false;
    /// Strategies and exclusive policies hold for every type. Program: they do not hold for GPUs.
    bool gpus_ignore_strategies = false;
    /// Unhealthy devices count nowhere. Program: ApplyForAll asks for them too, and so waits for
    /// ever; a type whose devices are all unhealthy still exists.
    bool unhealthy_count = false;

    // --- Which devices are free for a pod
    /// A device that does not publish a requested resource does not fit. Program: the resource is
    /// ignored, and every device fits.
    bool unpublished_fits = false;
    /// DeviceLevel and PCIeLevel exclude others: the pod gets devices (or switches) that no other
    /// pod uses, and no pod is let in later. Program: the result of the policy is thrown away.
    bool exclusive_is_ignored = false;
    /// Every device that is picked for a vfSelector comes with a virtual function. Program: GPUs
    /// that are found by topology or partition come without one.
    bool gpus_come_without_functions = false;

    // --- Which devices are chosen
    /// A switch is identified by its NUMA node and its id. Program: joint allocation identifies it
    /// by the id alone, so that two NUMA nodes may seem to share one.
    bool switches_by_name_alone = false;
    /// There is one secondary device for each of the primary's switches that has one, and more only
    /// if asked for. Program: there are as many as the primary has switches, including far ones.
    bool far_secondaries_are_added = false;
    /// The secondary is looked for on the primary's switches, then on its NUMA nodes, then on the
    /// machine. Program: it is looked for on the switches, then anywhere.
    bool no_numa_stage = false;
    /// A GPU that is the secondary is placed near the primary, in the number asked for. Program:
    /// GPUs are placed as if alone, and without a topology tree more than asked for are taken.
    bool secondary_gpus_ignore_primary = false;
    /// With SamePCIe the primary is chosen among switches that have every secondary. Program: it is
    /// chosen blindly, and the pod is refused if the choice was unlucky.
    bool primary_is_chosen_blindly = false;
    /// Inside a scope as few switches as possible are used. Program: the lowest minors are used.
    bool lowest_minors_in_scope = false;
    /// One device meets requiredTopologyScope Device. Program: no device does.
    bool device_scope_is_never_met = false;
    /// The GPU score compares total and free. Program: in the tree it does so with the two
    /// exchanged.
    bool score_of_shared_gpus_is_swapped = false;
    /// Partitions with the higher allocationScore are preferred. Program: those with the lower one.
    bool low_partition_score_first = false;
    /// Of equal partitions the first in the table is taken. Program: of more than 12, the one that
    /// an unstable sort puts first is taken.
    bool equal_partitions_are_exchanged = false;
    /// A partition must fit the request and obey requiredTopologyScope. Program: it only has to be
    /// unused.
    bool partitions_ignore_request = false;

    // --- How often the decision is made
    /// What passes the filter can be reserved: there is one pass, with the scorer. Program: the
    /// filter decides without a scorer and the reservation decides again with it, and the two may
    /// differ.
    bool filter_and_reserve_differ = false;
};

[[nodiscard]] constexpr DeviceRules documented_rules() {
    return {};
}

[[nodiscard]] constexpr DeviceRules published_rules() {
    DeviceRules rules;
    rules.counts_are_amounts = true;
    rules.hundreds_override_strategy = true;
    rules.gpus_ignore_strategies = true;
    rules.unhealthy_count = true;
    rules.unpublished_fits = true;
    rules.exclusive_is_ignored = true;
    rules.gpus_come_without_functions = true;
    rules.switches_by_name_alone = true;
    rules.far_secondaries_are_added = true;
    rules.no_numa_stage = true;
    rules.secondary_gpus_ignore_primary = true;
    rules.primary_is_chosen_blindly = true;
    rules.lowest_minors_in_scope = true;
    rules.device_scope_is_never_met = true;
    rules.score_of_shared_gpus_is_swapped = true;
    rules.low_partition_score_first = true;
    rules.equal_partitions_are_exchanged = true;
    rules.partitions_ignore_request = true;
    rules.filter_and_reserve_differ = true;
    return rules;
}

}  // namespace berth::core
