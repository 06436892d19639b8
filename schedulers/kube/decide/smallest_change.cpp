#include "schedulers/kube/decide/smallest_change.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "schedulers/kube/decide/proposals.hpp"
#include "schedulers/kube/decide/propose_preemption.hpp"
#include "schedulers/kube/decide/trial.hpp"

namespace berth::core::kube {
namespace {

/// Puts a changed node into a cluster, and takes it out at the end.
class WithNode {
public:
    WithNode(Cluster& cluster, const std::optional<ChangedNode>& changed) : cluster_(cluster) {
        if (changed) {
            position_ = changed->position;
            original_ = cluster.exchange(changed->position, changed->node);
        }
    }
    WithNode(const WithNode&) = delete;
    WithNode& operator=(const WithNode&) = delete;
    WithNode(WithNode&&) = delete;
    WithNode& operator=(WithNode&&) = delete;
    ~WithNode() {
        if (original_) {
            static_cast<void>(cluster_.exchange(position_, std::move(*original_)));
        }
    }

private:
    Cluster& cluster_;
    std::size_t position_ = 0;
    std::optional<Node> original_;
};

/// A change that did not help by itself, and why not.
struct Failure {
    Candidate candidate;
    std::vector<Rejection> rejections;
};

class Search {
public:
    Search(const Pod& pod, Cluster& cluster, ChangeSearch& found)
        : pod_(pod), cluster_(cluster), found_(found) {}

    void run(const Feasible& failed, bool preempts) {
        const std::vector<Rejection> rejections = rejections_of(failed.diagnosis);
        const std::vector<Candidate> proposals = propose({pod_, cluster_, rejections});
        std::vector<Failure> failures;
        for (std::size_t parts = 1; parts <= most_parts; ++parts) {
            if (try_all(proposals, parts, failures)) {
                return;
            }
        }
        if (std::ranges::any_of(failures,
                                [&](const Failure& failure) { return try_second(failure); }) ||
            preempts) {
            return;
        }
        if (auto last = propose_preemption(pod_, cluster_, failed, found_.tried)) {
            tell(*last, last->text);
        }
    }

private:
    [[nodiscard]] std::vector<Rejection> rejections_of(const Diagnosis& diagnosis) const {
        std::vector<Rejection> rejections;
        for (std::size_t node = 0; node < cluster_.nodes().size(); ++node) {
            rejections.push_back({node, diagnosis.of(cluster_.nodes()[node].node().name)});
            if (rejections.back().verdict.plugin.empty()) {  // PreFilter named other nodes
                rejections.back().verdict.plugin = "NodeAffinity";
            }
        }
        return rejections;
    }

    /// Tries the proposals that change so many things, until one helps.
    bool try_all(const std::vector<Candidate>& proposals,
                 std::size_t parts,
                 std::vector<Failure>& failures) {
        for (const Candidate& candidate : proposals) {
            if (candidate.parts != parts || found_.tried >= most_tried) {
                continue;
            }
            std::vector<Rejection> rejections;
            if (helps(candidate, parts == 1 ? &rejections : nullptr)) {
                tell(candidate, candidate.text + another_way(candidate));
                return true;
            }
            if (parts == 1) {
                failures.push_back({candidate, std::move(rejections)});
            }
        }
        return false;
    }

    /// Tries a second change beside one that did not help by itself.
    bool try_second(const Failure& first) {
        if (found_.tried >= most_tried) {
            return false;
        }
        const WithNode changed(cluster_, first.candidate.node);
        for (Candidate& second : propose({first.candidate.pod, cluster_, first.rejections})) {
            if (second.parts > 1 || second.field == first.candidate.field ||
                found_.tried >= most_tried || !helps(second, nullptr)) {
                continue;
            }
            if (first.candidate.node) {
                second.node = first.candidate.node;
                second.node_steps = first.candidate.node_steps;
            }
            second.pod_steps.insert(second.pod_steps.begin(),
                                    first.candidate.pod_steps.begin(),
                                    first.candidate.pod_steps.end());
            tell(second, fmt::format("{}, and {}", first.candidate.text, second.text));
            return true;
        }
        return false;
    }

    /// Whether a change lets the pod be placed, and where.
    bool helps(const Candidate& candidate, std::vector<Rejection>* rejections) {
        ++found_.tried;
        const WithNode changed(cluster_, candidate.node);
        helped_ = Trial(candidate.pod, cluster_).first_passing(candidate.among, rejections);
        try {
            return helped_ && !find_feasible(candidate.pod, cluster_).nodes.empty();
        } catch (const CycleError&) {
            return false;  // another node fails with the change
        }
    }

    /// What may be done at the node where a change helps, in place of the change.
    std::string another_way(const Candidate& candidate) {
        const Node& node = cluster_.nodes()[*helped_].node();
        if (candidate.field == ChangedField::host_ports) {
            return fmt::format(
                ", or free {} on node {}", candidate.parts == 1 ? "it" : "them", node.name);
        }
        ChangedNode labelled{*helped_, node};
        std::vector<std::string> texts;
        for (const auto& [key, value] : candidate.labels) {
            labelled.node.labels[key] = value;
            texts.push_back(fmt::format("{}={}", key, value));
        }
        const WithNode changed(cluster_, std::move(labelled));
        if (texts.empty() || find_feasible(pod_, cluster_).nodes.empty()) {
            return "";
        }
        return fmt::format(", or give node {} the label{} {}",
                           node.name,
                           texts.size() == 1 ? "" : "s",
                           enumerate(texts));
    }

    void tell(const Candidate& candidate, std::string text) {
        text.front() = static_cast<char>(text.front() - 'a' + 'A');
        SmallestChange& told = found_.change.emplace(SmallestChange{std::move(text) + ".", {}});
        if (!candidate.pod_steps.empty()) {
            told.patches.push_back({"", candidate.pod_steps});
        }
        if (candidate.node) {
            told.patches.push_back({candidate.node->node.name, candidate.node_steps});
        }
    }

    const Pod& pod_;
    Cluster& cluster_;
    ChangeSearch& found_;
    std::optional<std::size_t> helped_;  ///< The node at which the last change helped.
};

}  // namespace

ChangeSearch find_smallest_change(const Pod& pod,
                                  Cluster& cluster,
                                  const Feasible& failed,
                                  bool preempts) {
    const std::size_t next_start = cluster.next_start;
    ChangeSearch found;
    Search(pod, cluster, found).run(failed, preempts);
    cluster.next_start = next_start;
    return found;
}

const ChangeSearch& ChangeFinder::find(const Pod& pod, const Feasible& failed, bool preempts) {
    if (version_ != cluster_.version()) {
        known_.clear();
        version_ = cluster_.version();
    }
    Pod nameless = pod;
    nameless.name.clear();
    nameless.uid.clear();
    const auto known = std::ranges::find(known_, nameless, &std::pair<Pod, ChangeSearch>::first);
    if (known != known_.end()) {
        return known->second;
    }
    ChangeSearch found = find_smallest_change(pod, cluster_, failed, preempts);
    return known_.emplace_back(std::move(nameless), std::move(found)).second;
}

}  // namespace berth::core::kube
