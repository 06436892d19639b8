#include <fmt/format.h>

#include <iostream>

#include "core/gpu_sharing/gpu_policy.hpp"
#include "core/gpu_sharing/tree_policy.hpp"
#include "core/group_allocator/group_scorer.hpp"
#include "core/machine_allocators/machine_allocator.hpp"
#include "core/scorer.hpp"
#include "experiments/commands/command.hpp"
#include "experiments/plot/plot.hpp"
#include "experiments/plot/sweep_plot.hpp"
#include "sim/queue_policy.hpp"
#include "workloads/trace/trace_reader.hpp"

namespace berth::experiments {
namespace {

struct Line {
    std::string_view name;
    std::string_view summary;
};

void print(std::string_view title, std::initializer_list<Line> lines) {
    std::cout << title << "\n";
    for (const Line& line : lines) {
        std::cout << fmt::format("  {:<20} {}\n", line.name, line.summary);
    }
}

}  // namespace

int run_list(const std::vector<std::string>& arguments) {
    if (!parse_arguments("list", arguments, {}, "", 0)) {
        return exit_done;
    }
    std::cout << "queueSort\n";
    for (const sim::QueuePolicyEntry& entry : sim::queue_policies()) {
        std::cout << fmt::format("  {:<22} {}\n", entry.name, entry.summary);
    }
    print("preFilter",
          {{"elastic-quota", "the pod's quota admits it: by its runtime, max or min"}});
    print("filter",
          {{"resources-fit", "the pod's demand is available on the server"},
           {"the reserve plug-in", "the server has the devices for the pod, free together"},
           {"allocation-candidates", "the server has an allocation candidate for the pod"}});
    print("postFilter",
          {{"in-quota-preemption", "pods of lower priority of the same quota make room"}});
    print("placementGroup: solver",
          {{"greedy", "the paper's Algorithm 1: recursive descent, best child first"},
           {"exact", "finds a placement whenever one exists, and the best one"}});
    print("placementGroup: numFit",
          {{"aggregate", "an inner node's own free amounts over the demand, as in the paper"},
           {"percolated", "the sum of its servers' fits, as in the published program"}});
    std::cout << "score\n";
    for (const core::ScorerEntry& entry : core::scorers()) {
        std::cout << fmt::format("  {:<20} {}\n", entry.name, entry.summary);
    }
    std::cout << "score, where GPUs are shared\n";
    for (const core::GpuPolicyEntry& entry : core::gpu_policies()) {
        std::cout << fmt::format("  {:<20} {}\n", entry.name, entry.summary);
    }
    for (const core::TreePolicyEntry& entry : core::tree_policies()) {
        std::cout << fmt::format("  {:<20} {}\n", entry.name, entry.summary);
    }
    std::cout << "reserve\n";
    for (const core::MachineAllocatorEntry& entry : core::machine_allocators()) {
        std::cout << fmt::format("  {:<20} {}\n", entry.name, entry.summary);
    }
    print("reserve: shared",
          {{"gpu-sharing", "shares of one GPU, or whole GPUs of accepted models"}});
    print("device-allocator: rules",
          {{"documented", "joint allocation as its document says"},
           {"published", "as the program does, accidents included"}});
    print("group-allocator: rules",
          {{"paper", "the group allocator as its paper says"},
           {"published", "as the program does, accidents included"}});
    std::cout << "group scorers (berth allocate)\n";
    for (const core::GroupScorerEntry& entry : core::group_scorers()) {
        std::cout << fmt::format("  {:<20} {}\n", entry.name, entry.summary);
    }
    print("besides the profile",
          {{"recycler", "takes back what quotas use above their runtime"},
           {"failures", "servers fail, are repaired, are added"}});
    print("topologies read",
          {{"Topology", "generated from levels and counts, or a list of nodes (YAML, JSON)"},
           {"TopologyTree", "nested maps of names (JSON)"},
           {"NodeList, List", "kubectl get nodes -o json"},
           {"GraphML", "a .graphml file"}});
    print("topologies written", {{"text, dot, graphml, json, device, group-keys, providers", ""}});
    print("workload sources",
          {{"background", "what is in use before the run: random, or given by server"},
           {"groups", "placement groups at given times"},
           {"pods", "pods at given times"},
           {"generate", "a renewal process: Poisson or any other, any service time"},
          {"trace", "jobs as a file recorded them"}});
    std::cout << "trace formats\n";
    for (const workloads::TraceFormat& format : workloads::trace_formats()) {
        std::cout << fmt::format("  {:<20} {}\n", format.name, format.summary);
    }
    print("distributions",
          {{"constant, uniform, exponential, log-normal, weibull, pareto, empirical", ""}});
    std::cout << "figures\n";
    for (const auto& figures : {report::figures(), report::sweep_figures()}) {
        for (const report::Figure& figure : figures) {
            std::cout << fmt::format("  {:<20} {}\n", figure.name, figure.summary);
        }
    }
    return exit_done;
}

}  // namespace berth::experiments
