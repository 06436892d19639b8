// State that is broken on purpose is found by the check that computes it anew.

#include <catch2/catch.hpp>
#include <memory>
#include <vector>

#include "core/gpu_sharing/gpu_score_index.hpp"
#include "core/gpu_sharing/tree_score_index.hpp"
#include "core/index/fit_index.hpp"
#include "core/index/score_index.hpp"
#include "core/ledger/ledger_invariants.hpp"
#include "quota_amounts.hpp"
#include "tests/support/broken.hpp"
#include "tests/support/gpu_cluster.hpp"
#include "tests/support/named_scorer.hpp"

using namespace berth;
using Catch::Matchers::StartsWith;
using core::Amount;
using core::NodeId;
using core::ServerId;
using tests::breakable;
using tests::text;

namespace {

/// Racks of two servers with four GPUs each; the ledger lets pods share the GPUs.
struct Cluster {
    explicit Cluster(std::size_t servers, std::size_t per_rack = 2) {
        std::vector<tests::GpuMachine> machines;
        for (std::size_t i = 0; i < servers; ++i) {
            machines.push_back({fmt::format("s{}", i), 8000, 4096, 4, "A"});
        }
        tree = tests::gpu_cluster(machines, per_rack);
        ledger.emplace(tree);
        ledger->share_gpus();
    }
    std::shared_ptr<const core::Topology> tree;
    std::optional<core::Ledger> ledger;
};

const std::vector<Amount> one_core{1000, 0, 0};

}  // namespace

TEST_CASE("invariants: a ledger's sums are those of its servers", "[core][invariants]") {
    Cluster cluster(4);
    core::Ledger& ledger = *cluster.ledger;
    ledger.claim(ServerId{1}, one_core, 3);
    ledger.take_down(ServerId{2});
    CHECK(text(core::find_violation(ledger)) == "none");

    SECTION("what is available") {
        tests::lose(ledger, ServerId{1}, 5);
        CHECK(text(core::find_violation(ledger)) ==
              "a node has available what its servers have: cluster, cpu: 21000: expected 20995");
    }
    SECTION("of a rack") {
        breakable(ledger.available(NodeId{2})[1]) += 1;
        CHECK_THAT(
            text(core::find_violation(ledger)),
            StartsWith("a node has available what its servers have: cluster/rack-1, memory"));
    }
    SECTION("capacity") {
        breakable(ledger.capacity(cluster.tree->node_of(ServerId{3}))[0]) -= 1;
        CHECK(text(core::find_violation(ledger)) ==
              "a node has the capacity of its servers that are up: cluster/rack-1/s3, cpu: 7999: "
              "expected 8000");
    }
}

TEST_CASE("invariants: a server's GPUs are those of its devices", "[core][invariants]") {
    Cluster cluster(2);
    cluster.ledger->claim_gpus(ServerId{1}, {0b10, 300});
    CHECK(text(core::find_wrong_gpus(*cluster.ledger)) == "none");
    breakable(cluster.ledger->gpus().free(ServerId{1})[1]) -= 100;
    CHECK(text(core::find_wrong_gpus(*cluster.ledger)) ==
          "the set of a server's GPUs is what is free of each: cluster/rack-0/s1: "
          "700 1000 1000 1000: expected 600 1000 1000 1000");
}

TEST_CASE("invariants: a fit index that missed a change is found", "[core][invariants]") {
    Cluster cluster(4);
    core::FitIndex index(*cluster.ledger, one_core, core::NumFit::percolated);
    cluster.ledger->claim(ServerId{0}, one_core, 2);
    index.catch_up();
    CHECK(text(index.find_violation()) == "none");
    tests::lose(*cluster.ledger, ServerId{3}, 2000);
    CHECK(text(index.find_violation()) ==
          "a fit index has the fits of an index that is built anew: cluster: 30: expected 28");
}

TEST_CASE("invariants: children of a wide node that lost their order are found",
          "[core][invariants]") {
    Cluster cluster(core::FitIndex::wide_node_min, 0);
    const core::FitIndex index(*cluster.ledger, one_core, core::NumFit::percolated);
    CHECK(text(index.find_violation()) == "none");
    breakable(*index.sorted_children(cluster.tree->root()))
        .change_fit(cluster.tree->node_of(ServerId{5}), 8, 7);
    CHECK(text(index.find_violation()) ==
          "the children of a wide node are kept in order: cluster, child 0: cluster/s5 with a fit "
          "of 7: expected cluster/s0 with a fit of 8");
}

TEST_CASE("invariants: a score index that missed a change is found", "[core][invariants]") {
    Cluster cluster(3);
    const auto scorers = tests::by_scorer("best-fit");
    core::ScoreIndex index(*cluster.ledger, one_core, scorers, nullptr);
    cluster.ledger->claim(ServerId{0}, one_core, 2);
    index.catch_up();
    CHECK(text(index.find_violation()) == "none");
    tests::lose(*cluster.ledger, ServerId{2}, 8000);
    CHECK_THAT(text(index.find_violation()),
               StartsWith("a score index has the scores of an index that is built anew: "
                          "cluster/rack-1/s2: "));
}

TEST_CASE("invariants: indexes over shared GPUs that missed a change are found",
          "[core][invariants]") {
    Cluster cluster(4);
    core::Ledger& ledger = *cluster.ledger;
    core::GpuDomains domains(ledger);
    const core::TypicalPods typical;
    core::Fragmentation fragmentation(typical, ledger.gpus().sets(), ledger.gpus().models());
    const core::GpuRequest request{1000, 4, {}};
    const core::GpuPod pod{1000, 1000, 4, 0};
    const std::vector<Amount> demand{1000, 0, 4000};
    const auto policy = core::gpu_policies().front().make({ledger.gpus().sets(), fragmentation, 1});
    core::GpuScoreIndex scores(ledger, demand, request, pod, *policy, nullptr, nullptr);
    const auto tree_policy =
        core::tree_policies().back().make({ledger.gpus().sets(), fragmentation, {}});
    core::TreeScoreIndex costs(ledger, domains, demand, request, pod, *tree_policy, nullptr);
    ledger.claim_gpus(ServerId{0}, {0b11, 1000});
    ledger.claim(ServerId{0}, std::vector<Amount>{1000, 0, 2000}, 1);
    domains.catch_up();
    scores.catch_up();
    costs.catch_up();
    CHECK(text(domains.find_violation()) == "none");
    CHECK(text(scores.find_violation()) == "none");
    CHECK(text(costs.find_violation()) == "none");

    ledger.claim_gpus(ServerId{3}, {0b1, 1000});  // and no claim() logs it
    CHECK(text(domains.find_violation()) ==
          "a domain counts the GPUs that are wholly free on its servers: cluster: 14: expected 13");
    CHECK_THAT(text(scores.find_violation()),
               StartsWith("a GPU score index has the verdicts of one that is built anew: "
                          "cluster/rack-1/s3: a verdict of "));
    CHECK_THAT(text(costs.find_violation()),
               StartsWith("a tree score index has the costs of one that is built anew: "
                          "cluster/rack-1"));
}

namespace {

/// A parent with two children that ask for more than there is, and what the pods of the quotas
/// have.
struct Quotas {
    Quotas() {
        trees.add({tests::inner("P", 10, 60),
                   tests::leaf("a", 4, 50, "P"),
                   tests::leaf("b", 6, 50, "P"),
                   tests::leaf("other", 5, 80)});
        pods.resize(trees.quotas.count(), {{0, 0}, {0, 0}, {0, 0}});
        use("a", 30);
        use("b", 20);
        use("other", 25);
    }
    void use(const std::string& name, Amount amount) {
        trees.ask(name, amount);
        trees.use(name, amount, false);
        core::QuotaTrees::OfPods& mine = pods[trees.id(name).index];
        mine.request[0] += amount;
        mine.used[0] += amount;
        mine.non_preemptible[0] += amount;
    }
    [[nodiscard]] std::string found() const { return text(trees.quotas.find_violation(pods)); }

    tests::Trees trees{40};
    std::vector<core::QuotaTrees::OfPods> pods;
};

}  // namespace

TEST_CASE("invariants: what quotas ask for and use is that of their pods", "[core][invariants]") {
    Quotas quotas;
    CHECK(quotas.found() == "none");
    SECTION("counted twice") {
        quotas.trees.use("b", 20, false);
        CHECK(quotas.found() ==
              "what a quota itself uses is what its pods have: quota b, resource 0: 40: expected "
              "20");
    }
    SECTION("not asked for") {
        quotas.trees.ask("a", -10);
        CHECK(quotas.found() ==
              "a quota's own request is that of its pods: quota a, resource 0: 20: expected 30");
    }
    SECTION("used by pods that can be preempted") {
        quotas.trees.use("b", -20, false);
        quotas.trees.use("b", 20, true);
        CHECK(quotas.found() ==
              "what a quota itself uses for good is what its pods have that "
              "cannot be preempted: quota b, resource 0: 0: expected 20");
    }
}

TEST_CASE("invariants: a quota's sums and runtime are those of its children and its spec",
          "[core][invariants]") {
    Quotas quotas;
    (void)quotas.trees.runtime("a");
    (void)quotas.trees.runtime("other");
    CHECK(quotas.found() == "none");
    core::QuotaSpec& a = breakable(quotas.trees.quotas.spec(quotas.trees.id("a")));
    SECTION("a resource that no longer counts") {
        a.max = tests::amounts({{1, 50}});
        CHECK(quotas.found() ==
              "a quota uses what its own pods and its children use: quota a, resource 0: 30: "
              "expected 0");
    }
    SECTION("a max that nobody was told of") {
        a.max = tests::amounts({{0, 7}});
        CHECK(quotas.found() ==
              "a quota asks its parent for no more than its max: quota a, resource 0: 30: expected "
              "7");
    }
    SECTION("a weight that nobody was told of") {
        a.shared_weight = tests::amounts({{0, 1}});
        CHECK_THAT(quotas.found(),
                   StartsWith("a quota has the runtime of trees that are built anew: quota a, "
                              "resource 0: "));
    }
}
