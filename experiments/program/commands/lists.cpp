#include "experiments/program/commands/lists.hpp"

#include <utility>

#include "core/gpu_sharing/gpu_policy.hpp"
#include "core/gpu_sharing/tree_policy.hpp"
#include "core/group_allocator/group_scorer.hpp"
#include "core/index/scorer.hpp"
#include "core/machine_allocators/machine_allocator.hpp"
#include "experiments/program/plot/bench_plot.hpp"
#include "experiments/program/plot/plot.hpp"
#include "experiments/program/plot/sweep_plot.hpp"
#include "sim/queue/queue_policy.hpp"
#include "workloads/trace/trace_reader.hpp"

namespace berth::experiments {
namespace {

/// The lines of registries whose entries have a name and a summary.
template <class... Registries>
std::vector<ListLine> lines_of(const Registries&... registries) {
    std::vector<ListLine> lines;
    const auto add = [&](const auto& registry) {
        for (const auto& entry : registry) {
            lines.push_back({entry.name, entry.summary});
        }
    };
    (add(registries), ...);
    return lines;
}

std::vector<List> profile_lists() {
    return {
        {"queue-sorts", "queueSort", lines_of(sim::queue_policies())},
        {"pre-filters",
         "preFilter",
         {{"elastic-quota", "the pod's quota admits it: by its runtime, max or min"}}},
        {"filters",
         "filter",
         {{"resources-fit", "the pod's demand is available on the server"},
          {"the reserve plug-in", "the server has the devices for the pod, free together"},
          {"allocation-candidates", "the server has an allocation candidate for the pod"}}},
        {"post-filters",
         "postFilter",
         {{"gang-preemption", "jobs of lower priority make room, or those of quotas that borrowed"},
          {"in-quota-preemption", "pods of lower priority of the same quota make room"}}},
        {"solvers",
         "placementGroup: solver",
         {{"greedy", "the paper's Algorithm 1: recursive descent, best child first"},
          {"exact", "finds a placement whenever one exists, and the best one"}}},
        {"num-fits",
         "placementGroup: numFit",
         {{"aggregate", "an inner node's own free amounts over the demand, as in the paper"},
          {"percolated", "the sum of its servers' fits, as in the published program"}}},
        {"scores", "score", lines_of(core::scorers())},
        {"gpu-scores",
         "score, where GPUs are shared",
         lines_of(core::gpu_policies(), core::tree_policies())},
        {"reserves", "reserve", lines_of(core::machine_allocators())},
        {"shared-reserves",
         "reserve: shared",
         {{"gpu-sharing", "shares of one GPU, or whole GPUs of accepted models"}}},
        {"device-rules",
         "device-allocator: rules",
         {{"documented", "joint allocation as its document says"},
          {"published", "as the program does, accidents included"}}},
        {"group-rules",
         "group-allocator: rules",
         {{"paper", "the group allocator as its paper says"},
          {"published", "as the program does, accidents included"}}},
        {"group-scorers", "group scorers (berth allocate)", lines_of(core::group_scorers())},
        {"besides",
         "besides the profile",
         {{"recycler", "takes back what quotas use above their runtime"},
          {"failures", "servers fail, are repaired, are added"},
          {"drains", "parts of the cluster are taken out for maintenance, as announced"}}},
    };
}

std::vector<List> input_lists() {
    return {
        {"topologies",
         "topologies read",
         {{"Topology", "generated from levels and counts, or a list of nodes (YAML, JSON)"},
          {"TopologyTree", "nested maps of names (JSON)"},
          {"NodeList, List", "kubectl get nodes -o json"},
          {"GraphML", "a .graphml file"},
          {"openb, spot", "lists of nodes beside a trace, a server in each row"}}},
        {"topology-formats",
         "topologies written",
         {{"text", "a table for people"},
          {"dot", "a graph for Graphviz"},
          {"graphml", "a graph for other programs"},
          {"json", "nested maps of names"},
          {"device", "Device objects"},
          {"group-keys", "a node's devices as group keys"},
          {"providers", "resource providers"}}},
        {"sources",
         "workload sources",
         {{"background", "what is in use before the run: random, or given by server"},
          {"groups", "placement groups at given times"},
          {"pods", "pods at given times"},
          {"generate", "a renewal process: Poisson or any other, any service time"},
          {"running", "the pods of a cluster as it is, as the start of a run"},
          {"trace", "jobs as a file recorded them"}}},
        {"trace-formats", "trace formats", lines_of(workloads::trace_formats())},
        {"distributions",
         "distributions",
         {{"constant", "always the same value"},
          {"uniform", "each value between two bounds alike"},
          {"exponential", "without memory: times between independent arrivals"},
          {"log-normal", "by mean and variation"},
          {"weibull", "by mean and shape"},
          {"pareto", "a heavy tail"},
          {"empirical", "values that were measured"}}},
        {"figures",
         "figures",
         lines_of(report::figures(), report::sweep_figures(), report::bench_figures())},
    };
}

}  // namespace

std::vector<List> all_lists() {
    std::vector<List> lists = profile_lists();
    for (List& list : input_lists()) {
        lists.push_back(std::move(list));
    }
    return lists;
}

}  // namespace berth::experiments
