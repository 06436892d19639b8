#pragma once

#include <functional>
#include <optional>

#include "tests/support/plain_groups.hpp"

namespace berth::tests {

/// Tries every way to send each requested group to a location of its name inside its parent's
/// location, container by container.
class PlainGroupChoices {
public:
    PlainGroupChoices(const PlainGroupMachine& machine, bool published) : published_(published) {
        for (const auto& [name, allocatable] : machine.allocatable) {
            numbers_[name] = resources_.size();
            resources_.push_back({allocatable, &machine.scorer(name), 0, machine.used_of(name), 0});
        }
        root_ = node_of(std::string(core::group_prefix), plain_group(machine.allocatable));
    }

    /// The best score over all ways; absent if there is none.
    std::optional<double> best(const GroupAsks& asks) {
        std::vector<Node> requests;
        for (const GroupAsk& ask : asks) {
            requests.push_back(node_of(std::string(core::group_prefix), plain_group(ask.requests)));
        }
        best_.reset();
        place_container(asks, requests, 0, 0);
        return best_;
    }

private:
    struct Resource {
        core::Amount allocatable = 0;
        const core::GroupScorer* scorer = nullptr;
        core::Amount pod = 0;
        core::Amount node = 0;
        core::Amount charged = 0;

        [[nodiscard]] core::GroupScore score(core::Amount total, bool init) const {
            return scorer->score(allocatable, pod, node, total, init);
        }
    };
    struct Node {
        std::vector<std::pair<std::string, std::string>> bases{};  ///< Keys with their full names.
        std::vector<std::pair<std::string, Node>> subgroups{};     ///< Subgroups by name, in order.
    };
    using Then = std::function<void()>;

    static Node node_of(const std::string& name, const PlainGroup& group) {
        const PlainSplit split = plain_split(name, group);
        Node node{{split.base.begin(), split.base.end()}};
        for (const auto& [inner, by_index] : split.subgroups) {
            for (const std::string& index : ordered_keys(by_index, core::GroupOrder::natural)) {
                node.subgroups.emplace_back(
                    inner, node_of(name + "/" + inner + "/" + index, by_index.at(index)));
            }
        }
        return node;
    }

    void place_container(const GroupAsks& asks,
                         const std::vector<Node>& requests,
                         std::size_t container,
                         double score) {
        if (container == asks.size()) {
            score = published_ ? score : sum(false);
            best_ = std::max(best_.value_or(score), score);
            return;
        }
        ask_ = &asks[container];
        const Then done = [&, score] {
            finish(asks, requests, container, score);
            ask_ = &asks[container];
        };
        if (ask_->requests.empty()) {
            place_container(asks, requests, container + 1, ask_->init ? score : 0);
        } else if (ask_->from) {
            const std::vector<Resource> saved = resources_;
            bool all = true;
            for (const auto& [name, amount] : ask_->requests) {
                const auto from = ask_->from->find(name);
                if (from == ask_->from->end()) {
                    all = false;
                    continue;
                }
                Resource& resource = resources_[numbers_.at(from->second)];
                resource.charged = resource.scorer->total(resource.charged, amount);
            }
            if (all) {
                done();
            }
            resources_ = saved;
        } else if (!resources_.empty()) {
            place(requests[container], root_, done);
        }
    }

    /// Goes on once all requests of a container have their resources.
    void finish(const GroupAsks& asks,
                const std::vector<Node>& requests,
                std::size_t container,
                double score) {
        const bool init = asks[container].init;
        for (const Resource& resource : resources_) {
            if (!resource.score(resource.charged, init).found) {
                return;
            }
        }
        const std::vector<Resource> saved = resources_;
        for (Resource& resource : resources_) {
            if (resource.charged != 0) {
                const core::GroupScore now = resource.score(resource.charged, init);
                resource.pod = now.pod;
                resource.node = now.node;
                resource.charged = 0;
            }
        }
        place_container(asks, requests, container + 1, init ? score : sum(init));
        resources_ = saved;
    }

    [[nodiscard]] double sum(bool init) const {
        double sum = 0;
        for (const Resource& resource : resources_) {
            sum += resource.score(0, init).score;
        }
        return published_ ? sum / static_cast<double>(resources_.size()) : sum;
    }

    void place(const Node& part, const Node& at, const Then& then) {
        std::vector<std::pair<Resource*, core::Amount>> before;
        bool all = true;
        for (const auto& [key, request] : part.bases) {
            const auto same =
                std::ranges::find(at.bases, key, &decltype(at.bases)::value_type::first);
            all = all && same != at.bases.end();
            if (all) {
                Resource& resource = resources_[numbers_.at(same->second)];
                before.emplace_back(&resource, resource.charged);
                all = charge(resource, request);
            }
        }
        if (all) {
            place_subgroups(part, 0, at, then);
        }
        for (const auto& [resource, charged] : before) {
            resource->charged = charged;
        }
    }

    bool charge(Resource& resource, const std::string& request) const {
        const core::Amount amount = ask_->requests.at(request);
        const auto own = ask_->scorers.find(request);
        const core::GroupScorer& decides =
            own == ask_->scorers.end() ? *resource.scorer : *own->second;
        core::GroupScore now{true, 0, resource.pod, resource.node};
        if (resource.charged != 0) {
            now = resource.score(resource.charged, ask_->init);
        }
        const bool enough =
            decides.score(resource.allocatable, now.pod, now.node, amount, ask_->init).found;
        resource.charged = resource.scorer->total(resource.charged, amount);
        return enough && resource.score(resource.charged, ask_->init).found;
    }

    void place_subgroups(const Node& part, std::size_t i, const Node& at, const Then& then) {
        if (i == part.subgroups.size()) {
            then();
            return;
        }
        for (const auto& [name, location] : at.subgroups) {
            if (name == part.subgroups[i].first) {
                place(part.subgroups[i].second, location, [&] {
                    place_subgroups(part, i + 1, at, then);
                });
            }
        }
    }

    bool published_;
    std::map<std::string, std::size_t> numbers_;
    std::vector<Resource> resources_;
    Node root_;
    const GroupAsk* ask_ = nullptr;
    std::optional<double> best_;
};

}  // namespace berth::tests
