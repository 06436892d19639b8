// Compares decisions for pods that are alike with those of the plain search.

#include <algorithm>
#include <catch2/catch.hpp>
#include <deque>

#include "schedulers/kube/decide/decider.hpp"
#include "tests/support/random_kube.hpp"

using namespace berth;
using tests::Dice;
namespace kube = core::kube;

namespace {

/// What a cycle says: nothing for the node if no node is feasible, -1 feasible ones for an error.
struct Answer {
    std::optional<std::size_t> node;
    std::int64_t feasible = 0;
    std::size_t evaluated = 0;
    std::size_t next_start = 0;
    friend bool operator==(const Answer&, const Answer&) = default;
};

std::ostream& operator<<(std::ostream& out, const Answer& answer) {
    return out << "node " << (answer.node ? std::to_string(*answer.node) : "none") << ", feasible "
               << answer.feasible << ", evaluated " << answer.evaluated << ", next "
               << answer.next_start;
}

Answer plain(const kube::Pod& pod, kube::Cluster& cluster) {
    const kube::Feasible found = kube::find_feasible(pod, cluster);
    Answer answer{{}, 0, found.nodes.size() + found.diagnosis.verdicts.size(), 0};
    try {
        if (!found.nodes.empty()) {
            answer.node = kube::choose_node(pod, cluster, found);
            answer.feasible = static_cast<std::int64_t>(found.nodes.size());
        }
    } catch (const kube::CycleError&) {
        answer = {{}, -1, 0, 0};
    }
    answer.next_start = cluster.next_start;
    return answer;
}

Answer answer_of(const std::optional<kube::Choice>& choice, const kube::Cluster& cluster) {
    return choice ? Answer{choice->node,
                           static_cast<std::int64_t>(choice->feasible),
                           choice->evaluated,
                           cluster.next_start}
                  : Answer{{}, 0, cluster.nodes().size(), cluster.next_start};
}

Answer by_decider(const kube::Pod& pod, kube::Cluster& cluster, kube::Decider& decider) {
    try {
        const auto decided = decider.decide(pod);
        if (const auto* found = std::get_if<kube::Feasible>(&decided)) {
            return {{}, 0, found->diagnosis.verdicts.size(), cluster.next_start};
        }
        return answer_of(std::get<kube::Choice>(decided), cluster);
    } catch (const kube::CycleError&) {
        return {{}, -1, 0, cluster.next_start};
    }
}

std::size_t index_below(Dice& dice, std::size_t size) {
    return static_cast<std::size_t>(dice.roll(0, static_cast<std::int64_t>(size) - 1));
}

/// Two equal clusters, of which one is asked in the plain way.
struct Twins {
    explicit Twins(const kube::ClusterObjects& objects) : asked(objects), reference(objects) {}

    void place(const kube::Pod& pod, std::size_t node) {
        running.push_back({&asked.place(pod, node), &reference.place(pod, node), node});
    }
    /// Takes a pod that runs off its node, if there is one.
    void remove_any(Dice& dice) {
        if (running.empty()) {
            return;
        }
        std::swap(running[index_below(dice, running.size())], running.back());
        asked.remove(*running.back().asked, running.back().node);
        reference.remove(*running.back().reference, running.back().node);
        running.pop_back();
    }
    void nominate(const kube::Pod& pod) {
        asked.nominate(pod);
        reference.nominate(pod);
    }
    void withdraw(const std::vector<std::string>& uids) {
        for (const std::string& uid : uids) {
            asked.withdraw(uid);
            reference.withdraw(uid);
        }
    }

    struct Running {
        const kube::CountedPod* asked;
        const kube::CountedPod* reference;
        std::size_t node;
    };
    kube::Cluster asked;
    kube::Cluster reference;
    std::vector<Running> running;
};

/// Gives a pod one to three terms about other pods, but requires no affinity.
void add_terms(Dice& dice, kube::Pod& pod) {
    for (std::int64_t terms = dice.roll(1, 3); terms > 0; --terms) {
        const kube::PodTerm term = tests::random_kube_term(dice);
        switch (dice.roll(0, 2)) {
            case 0:
                pod.required_anti_affinity.push_back(term);
                break;
            case 1:
                pod.preferred_affinity.push_back({term, dice.roll(1, 100)});
                break;
            default:
                pod.preferred_anti_affinity.push_back({term, dice.roll(1, 100)});
        }
    }
}

std::size_t random_size(Dice& dice) {
    return static_cast<std::size_t>(dice.chance(50) ? dice.roll(1, 12) : dice.roll(90, 300));
}

}  // namespace

TEST_CASE("ranked numbers: the choice is the root of the heap that kube-scheduler makes",
          "[property][kube]") {
    for (std::uint64_t seed = 1; seed <= tests::cases(400); ++seed) {
        CAPTURE(seed);
        Dice dice(seed);
        std::vector<kube::RankedNumbers::Number> numbers(index_below(dice, 80) + 1);
        std::vector<std::uint32_t> layer_of(numbers.size());
        kube::RankedNumbers ranked(numbers);
        const std::int64_t kinds = dice.roll(1, 9);
        std::vector<std::int64_t> added(dice.chance(50) ? 1 : index_below(dice, 9) + 1);
        for (int step = 0; step < 40; ++step) {
            const std::size_t changed = index_below(dice, numbers.size());
            numbers[changed] = dice.chance(80) ? std::optional(dice.roll(-kinds, 0)) : std::nullopt;
            layer_of[changed] = static_cast<std::uint32_t>(index_below(dice, added.size()));
            ranked.set(changed, numbers[changed], layer_of[changed]);
            std::vector<std::size_t> positions;
            for (std::size_t i = 0; i < numbers.size(); ++i) {
                if (numbers[i]) {
                    positions.push_back(i);
                }
            }
            REQUIRE(ranked.size() == positions.size());
            if (positions.empty()) {
                continue;
            }
            const kube::RankedNumbers::Arc arc{index_below(dice, positions.size()),
                                               index_below(dice, positions.size()) + 1};
            for (std::int64_t& number : added) {
                number = dice.roll(-3, 3);
            }
            std::vector<std::int64_t> totals;
            for (std::size_t i = 0; i < arc.count; ++i) {
                const std::size_t position = positions[(arc.first + i) % positions.size()];
                totals.push_back(*numbers[position] + added[layer_of[position]]);
            }
            const std::size_t wanted = (arc.first + kube::choose(totals)) % positions.size();
            REQUIRE(ranked.choose(arc, ranked.greatest_of_layers(arc), added) == wanted);
            REQUIRE(kube::RankedNumbers(numbers, layer_of)
                        .choose(arc, ranked.greatest_of_layers(arc), added) == wanted);
            REQUIRE(ranked.position_of(wanted) == positions[wanted]);
            REQUIRE(ranked.rank_of(positions[wanted]) == wanted);
            if (added.size() == 1) {
                REQUIRE(*ranked.greatest(arc) + added[0] == std::ranges::max(totals));
            }
        }
    }
}

TEST_CASE("pod class index: its choices are those of the plain search", "[property][kube]") {
    for (std::uint64_t seed = 1; seed <= tests::cases(150); ++seed) {
        CAPTURE(seed);
        Dice dice(seed);
        const std::size_t nodes = random_size(dice);
        Twins twins(tests::random_kube_cluster(dice, nodes));
        std::vector<kube::Pod> pods;
        std::deque<kube::PodClassIndex> indexes;
        const bool have_terms = dice.chance(50);  // all of them do, or none
        for (std::int64_t classes = dice.roll(1, 4); classes > 0; --classes) {
            kube::Pod pod = tests::random_kube_pod(dice);
            for (const bool is_hard : {true, false}) {
                if (dice.chance(50)) {
                    tests::add_kube_spread(dice, pod, is_hard);
                }
            }
            if (have_terms) {
                add_terms(dice, pod);
            }
            REQUIRE(kube::asks_each_node_alone(pod));
            if (kube::CompanyScores::are_few_layers(pod, twins.asked)) {
                pods.push_back(pod);
                indexes.emplace_back(pod, twins.asked);
            }
        }
        if (pods.empty()) {
            continue;
        }
        for (int step = 0; step < 120; ++step) {
            CAPTURE(step);
            if (dice.chance(15)) {  // others run too, also where they do not fit
                twins.place(tests::random_kube_pod(dice), index_below(dice, nodes));
                continue;
            }
            if (dice.chance(20)) {
                twins.remove_any(dice);
                continue;
            }
            const std::size_t kind = index_below(dice, pods.size());
            const Answer wanted = plain(pods[kind], twins.reference);
            const std::optional<kube::Choice> choice = indexes[kind].choose();
            if (indexes[kind].has_too_many_layers()) {
                twins.asked.next_start = twins.reference.next_start;
            } else {
                REQUIRE(answer_of(choice, twins.asked) == wanted);
            }
            if (wanted.node) {
                twins.place(pods[kind], *wanted.node);
            }
        }
    }
}

TEST_CASE("decider: it decides as the plain search does", "[property][kube]") {
    for (std::uint64_t seed = 1; seed <= tests::cases(300); ++seed) {
        CAPTURE(seed);
        Dice dice(seed);
        const std::size_t nodes = random_size(dice);
        Twins twins(tests::random_kube_cluster(dice, nodes));
        kube::Decider decider(twins.asked);
        std::vector<kube::Pod> pods{tests::random_kube_pod(dice)};
        for (std::int64_t classes = dice.chance(90) ? dice.roll(0, 4) : 40; classes > 0;
             --classes) {
            pods.push_back(dice.chance(60) ? pods[index_below(dice, pods.size())]
                                           : tests::random_kube_pod(dice));
            tests::vary_kube_pod(dice, pods.back());
        }
        const bool has_company = dice.chance(50);
        for (kube::Pod& pod : pods) {
            if (has_company && dice.chance(50)) {
                tests::add_kube_company(dice, pod);
            }
        }
        std::vector<std::string> waiting;
        for (int step = 0; step < 120; ++step) {
            CAPTURE(step);
            kube::Pod pod = pods[index_below(dice, pods.size())];
            pod.uid = std::to_string(step);
            pod.priority = dice.roll(0, 1);
            if (has_company && dice.chance(15)) {
                tests::add_kube_company(dice, pod);
            }
            if (has_company && dice.chance(8)) {
                pod.nominated_node = "n" + std::to_string(index_below(dice, nodes));
                if (dice.chance(50)) {
                    twins.nominate(pod);
                    waiting.push_back(pod.uid);
                }
            }
            if (dice.chance(20)) {
                twins.remove_any(dice);
            }
            const Answer wanted = plain(pod, twins.reference);
            REQUIRE(by_decider(pod, twins.asked, decider) == wanted);
            if (wanted.node) {
                twins.place(pod, *wanted.node);
            }
            if (dice.chance(40)) {
                twins.withdraw(waiting);
                waiting.clear();
            }
        }
    }
}
