#pragma once

#include <limits>
#include <optional>
#include <set>

#include "tests/support/plain_groups.hpp"

namespace berth::tests {

struct PlainFit {
    bool found = true;
    double score = 0;
    std::vector<core::GroupReason> reasons{};
    std::vector<GroupMapping> mapping{};
    core::GroupAmounts pod{};   ///< Usage by the pod, if it fits.
    core::GroupAmounts used{};  ///< Usage of the node, if the pod fits.
};

/// The search as its documents describe it: it copies maps and tries every location. It follows
/// either the documented rules or the published program, and nothing in between.
class PlainGroupSearch {
public:
    PlainGroupSearch(const PlainGroupMachine& machine, bool published)
        : machine_(machine),
          published_(published),
          order_(published ? core::GroupOrder::bytes : core::GroupOrder::natural) {}

    PlainFit fit(const GroupAsks& asks) {
        PlainFit out;
        State state;
        state.node = machine_.used;
        for (const GroupAsk& ask : asks) {
            ask_ = &ask;
            out.mapping.emplace_back();
            std::vector<core::GroupReason> reasons;
            State after = state;
            after.from.clear();
            after.score = 0;
            bool found = true;
            if (ask.requests.empty()) {
            } else if (ask.from) {
                after.from = *ask.from;
                found = find_score(root(), root_requests(), after, reasons);
            } else if (machine_.allocatable.empty()) {
                found = false;
                for (const auto& [name, amount] : ask.requests) {
                    if (!published_) {
                        reasons.push_back({ask.name + "/" + name, amount, 0, 0});
                    }
                }
            } else {
                found = allocate_group(root_requests(),
                                       std::string(core::group_prefix),
                                       {{"group", root()}},
                                       "resource",
                                       after,
                                       reasons);
                if (found) {
                    out.mapping.back() = after.from;
                }
            }
            if (found && !published_) {
                for (const auto& [resource, total] : totals(after, nullptr)) {
                    if (total == 0) {
                        continue;  // no request asks for this resource
                    }
                    const core::GroupScore now = scored(after, resource, total);
                    after.pod[resource] = now.pod;
                    after.node[resource] = now.node;
                }
            }
            if (found || (ask.from && published_)) {
                state = after;
            }
            out.found = out.found && found;
            out.score = found && !ask.init ? after.score : out.score;
            out.reasons.insert(out.reasons.end(), reasons.begin(), reasons.end());
        }
        if (!published_) {
            out.score = 0;
            for (const auto& [name, allocatable] : machine_.allocatable) {
                out.score += out.found ? scored(state, name, 0).score : 0;
            }
        }
        charge(asks, out);
        return out;
    }

private:
    struct State {
        GroupMapping from{};
        core::GroupAmounts pod{};
        core::GroupAmounts node{};
        double score = 0;
    };

    [[nodiscard]] PlainGroup root() const { return plain_group(machine_.allocatable); }
    [[nodiscard]] PlainGroup root_requests() const { return plain_group(ask_->requests); }

    static core::Amount of(const core::GroupAmounts& amounts, const std::string& name) {
        const auto found = amounts.find(name);
        return found == amounts.end() ? 0 : found->second;
    }
    [[nodiscard]] core::GroupScore scored(const State& state,
                                          const std::string& name,
                                          core::Amount total) const {
        return machine_.scorer(name).score(machine_.allocatable.at(name),
                                           of(state.pod, name),
                                           of(state.node, name),
                                           total,
                                           ask_->init);
    }
    /// The amount asked of each resource by requests that have one: by all requests, or by those of
    /// a group.
    [[nodiscard]] core::GroupAmounts totals(const State& state, const PlainGroup* group) const {
        std::map<std::string, bool> counts;
        for (const auto& [key, full] : group != nullptr ? *group : root_requests()) {
            counts[full] = true;
        }
        core::GroupAmounts out;
        for (const auto& [request, resource] : state.from) {
            if (counts.contains(request)) {
                const core::Amount amount = ask_->requests.at(request);
                const auto [total, first] = out.try_emplace(resource, amount);
                const core::Amount sum = machine_.scorer(resource).total(total->second, amount);
                total->second = first ? amount : sum;
            }
        }
        return out;
    }

    bool allocate_group(const PlainGroup& requests,
                        const std::string& base,
                        const std::map<std::string, PlainGroup>& locations,
                        const std::string& prefix,
                        State& state,
                        std::vector<core::GroupReason>& reasons) {
        const PlainSplit split = plain_split(base, requests);
        std::optional<State> best;
        std::string best_name;
        double best_score = published_ ? 0.0 : -std::numeric_limits<double>::infinity();
        bool best_used = false;
        std::vector<core::GroupReason> why;
        for (const std::string& location : ordered_keys(locations, order_)) {
            State candidate = state;
            const std::string name = prefix + "/" + location;
            std::vector<core::GroupReason> inside;
            if (allocate_at(
                    requests, base, split, locations.at(location), name, candidate, inside)) {
                const bool used = used_.contains(name);
                const bool as_good = candidate.score >= best_score;
                const bool taken = !published_ ? candidate.score > best_score
                                   : best_used ? used && as_good
                                               : used || as_good;
                if (taken) {
                    best = candidate;
                    best_name = name;
                    best_score = candidate.score;
                    best_used = used;
                }
            }
            if (!published_ || locations.size() == 1) {
                why.insert(why.end(), inside.begin(), inside.end());
            }
        }
        if (!best) {
            reasons.insert(reasons.end(), why.begin(), why.end());
            return false;
        }
        state = *best;
        if (published_) {
            used_.insert(best_name);
        }
        return true;
    }

    bool allocate_at(const PlainGroup& requests,
                     const std::string& base,
                     const PlainSplit& split,
                     const PlainGroup& location,
                     const std::string& name,
                     State& state,
                     std::vector<core::GroupReason>& reasons) {
        const State before = state;
        bool all = true;
        for (const auto& [key, full] : split.base) {
            all = resource_available(key, full, location, state, reasons) && all;
        }
        PlainSplit inside = plain_split(name, location);
        for (const std::string& group : ordered_keys(split.subgroups, order_)) {
            for (const std::string& index : ordered_keys(split.subgroups.at(group), order_)) {
                const std::string inner = base + "/" + group + "/" + index;
                State next = state;
                std::vector<core::GroupReason> why;
                if (allocate_group(split.subgroups.at(group).at(index),
                                   inner,
                                   inside.subgroups[group],
                                   name + "/" + group,
                                   next,
                                   why)) {
                    state = next;
                    continue;
                }
                all = false;
                reasons.push_back({ask_->name + "/" + inner, 0, 0, 0});
                reasons.insert(reasons.end(), why.begin(), why.end());
            }
        }
        if (all) {
            const GroupMapping from = state.from;
            state = before;
            state.from = from;
            all = find_score(location, requests, state, reasons);
        }
        return all;
    }

    bool resource_available(const std::string& key,
                            const std::string& request,
                            const PlainGroup& location,
                            State& state,
                            std::vector<core::GroupReason>& reasons) {
        const core::Amount amount = ask_->requests.at(request);
        const std::string reason = ask_->name + "/" + request;
        const auto target = location.find(key);
        if (target == location.end()) {
            reasons.push_back({reason, amount, 0, 0});
            return false;
        }
        const std::string& resource = target->second;
        const core::Amount allocatable = machine_.allocatable.at(resource);
        core::Amount pod = of(state.pod, resource);
        core::Amount node = of(state.node, resource);
        State with = state;
        with.from[request] = resource;
        bool enough = true;
        if (!published_) {
            // What the container has taken so far; below, that and this request together.
            const core::GroupAmounts before = totals(state, nullptr);
            if (before.contains(resource) && before.at(resource) != 0) {
                const core::GroupScore so_far = scored(state, resource, before.at(resource));
                pod = so_far.pod;
                node = so_far.node;
            }
            enough = scored(state, resource, totals(with, nullptr).at(resource)).found;
        }
        const auto own = ask_->scorers.find(request);
        const core::GroupScorer& decides =
            own == ask_->scorers.end() ? machine_.scorer(resource) : *own->second;
        const core::GroupScore now = decides.score(allocatable, pod, node, amount, ask_->init);
        if (!now.found || !enough) {
            reasons.push_back({reason, amount, node, allocatable});
            return false;
        }
        state.from[request] = resource;
        if (published_) {
            state.pod[resource] = now.pod;
            state.node[resource] = now.node;
        }
        return true;
    }

    bool find_score(const PlainGroup& location,
                    const PlainGroup& requests,
                    State& state,
                    std::vector<core::GroupReason>& reasons) {
        bool all = true;
        for (const auto& [key, request] : requests) {
            if (!state.from.contains(request) ||
                !machine_.allocatable.contains(state.from.at(request))) {
                all = false;
                reasons.push_back({request, ask_->requests.at(request), 0, 0});
            }
        }
        const core::GroupAmounts asked = totals(state, &requests);
        const core::GroupAmounts charged = published_ ? asked : totals(state, nullptr);
        std::set<std::string> resources;
        for (const auto& [key, resource] : location) {
            resources.insert(resource);
        }
        state.score = 0;
        for (const std::string& resource : resources) {
            const core::GroupScore now = scored(state, resource, of(charged, resource));
            if (!now.found) {
                all = false;
                reasons.push_back({resource,
                                   of(asked, resource),
                                   of(state.node, resource),
                                   machine_.allocatable.at(resource)});
                continue;
            }
            state.score += now.score;
            if (published_) {
                state.pod[resource] = now.pod;
                state.node[resource] = now.node;
            }
        }
        if (published_) {
            state.score /= static_cast<double>(resources.size());
        }
        return all;
    }

    void charge(const GroupAsks& asks, PlainFit& out) {
        State state;
        state.node = out.used = machine_.used;
        for (std::size_t c = 0; out.found && c < asks.size(); ++c) {
            ask_ = &asks[c];
            state.from = asks[c].from.value_or(out.mapping[c]);
            const auto add = [&](const std::string& resource, core::Amount amount) {
                const core::GroupScore now = scored(state, resource, amount);
                out.pod[resource] = state.pod[resource] = now.pod;
                out.used[resource] = state.node[resource] = now.node;
            };
            if (published_) {
                for (const auto& [request, resource] : state.from) {
                    add(resource, ask_->requests.at(request));
                }
            } else {
                for (const auto& [resource, total] : totals(state, nullptr)) {
                    add(resource, total);
                }
            }
        }
    }

    const PlainGroupMachine& machine_;
    bool published_;
    core::GroupOrder order_;
    const GroupAsk* ask_ = nullptr;
    std::set<std::string> used_;
};

}  // namespace berth::tests
