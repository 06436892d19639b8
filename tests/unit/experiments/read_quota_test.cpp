#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "experiments/program/config/quota/read_quota.hpp"
#include "experiments/program/config/quota/read_quota_settings.hpp"
#include "experiments/program/support/documents.hpp"

namespace core = berth::core;
namespace experiments = berth::experiments;

namespace {

std::vector<core::Value> parsed(const std::string& text) {
    return experiments::parse_documents(
        std::make_shared<core::SourceText>(core::SourceText{"quotas.yaml", text}));
}

std::string errors(const core::Diagnostics& diagnostics) {
    try {
        diagnostics.throw_if_failed();
    } catch (const core::InputError& error) {
        return error.what();
    }
    return "";
}

/// The only quota of a text, which must be sound.
core::ElasticQuota only(const std::string& text) {
    core::Diagnostics diagnostics;
    const auto quotas = experiments::read_quotas(parsed(text), diagnostics);
    CHECK(errors(diagnostics).empty());
    CHECK(diagnostics.warnings().empty());
    REQUIRE(quotas.size() == 1);
    return quotas.front().quota;
}

core::Quantities amounts(std::initializer_list<std::pair<const char*, const char*>> texts) {
    core::Quantities all;
    for (const auto& [resource, text] : texts) {
        all[resource] = std::get<core::Quantity>(core::parse_exact_quantity(text));
    }
    return all;
}

std::string with_annotation(const std::string& name, const std::string& value) {
    return "kind: ElasticQuota\nmetadata:\n  name: a\n  annotations:\n"
           "    quota.scheduling.koordinator.sh/" +
           name + ": " + value + "\n";
}

}  // namespace

TEST_CASE("read quota: an object as it is in a cluster", "[experiments][quota]") {
    const core::ElasticQuota quota = only(R"(
apiVersion: scheduling.sigs.k8s.io/v1alpha1
kind: ElasticQuota
metadata:
  name: team
  namespace: kube-system
  uid: 1c7e
  resourceVersion: "12"
  creationTimestamp: "2024-01-01T00:00:00Z"
  managedFields: [{manager: kubectl, fieldsV1: {"f:spec": {}}}]
  labels:
    app: x
    quota.scheduling.koordinator.sh/parent: org
    quota.scheduling.koordinator.sh/is-parent: "true"
    quota.scheduling.koordinator.sh/allow-lent-resource: "false"
    quota.scheduling.koordinator.sh/tree-id: t
    quota.scheduling.koordinator.sh/is-root: "true"
    quota.scheduling.koordinator.sh/ignore-default-tree: "true"
    quota.scheduling.koordinator.sh/allow-force-update: "true"
  annotations:
    kubectl.kubernetes.io/last-applied-configuration: "{}"
    quota.scheduling.koordinator.sh/runtime: '{"cpu":"1"}'
    quota.scheduling.koordinator.sh/shared-weight: '{"cpu":4,"memory":"8Gi"}'
    quota.scheduling.koordinator.sh/total-resource: '{"cpu":"100"}'
    quota.scheduling.koordinator.sh/namespaces: '["x", "y"]'
    quota.scheduling.koordinator.sh/max-strict-check-resource-keys: '["cpu"]'
spec:
  max: {cpu: 20, memory: 40Gi}
  min: {cpu: 10500m, memory: 20Gi}
status: {used: {cpu: "3"}, more: [1]}
)");
    CHECK(quota.name == "team");
    CHECK(quota.object_namespace == "kube-system");
    CHECK(quota.parent == "org");
    CHECK(quota.is_parent);
    CHECK_FALSE(quota.allow_lent_resource);
    CHECK(quota.tree_id == "t");
    CHECK(quota.is_root);
    CHECK(quota.ignore_default_tree);
    CHECK(quota.allow_force_update);
    CHECK(quota.shared_weight == amounts({{"cpu", "4"}, {"memory", "8Gi"}}));
    CHECK(quota.total_resource == amounts({{"cpu", "100"}}));
    CHECK(quota.namespaces == std::vector<std::string>{"x", "y"});
    CHECK(quota.max_strict_check_resource_keys == std::vector<std::string>{"cpu"});
    CHECK(quota.max == amounts({{"cpu", "20"}, {"memory", "40Gi"}}));
    CHECK(quota.min == amounts({{"cpu", "10.5"}, {"memory", "20Gi"}}));
    CHECK(quota.used == amounts({{"cpu", "3"}}));
    CHECK(quota.written.min.at("cpu") == "10500m");
}

TEST_CASE("read quota: an object as the published design writes it", "[experiments][quota]") {
    const core::ElasticQuota quota = only(R"(
kind: ElasticQuota
metadata:
  name: test
  annotations:
    quota.scheduling.koordinator.sh/runtime: {cpu:4, memory: 8Gi}
    quota.scheduling.koordinator.sh/shared-weight: {cpu:4, memory: 8Gi}
  labels:
    quota.scheduling.koordinator.sh/is-parent: false
    quota.scheduling.koordinator.sh/parent-quota-name: "parent"
    quota.scheduling.koordinator.sh/allow-lent-resource: true
spec:
  max: {cpu: 20}
)");
    CHECK(quota.parent == "parent");
    CHECK_FALSE(quota.is_parent);
    CHECK(quota.allow_lent_resource);
    CHECK(quota.shared_weight == amounts({{"cpu", "4"}, {"memory", "8Gi"}}));
    CHECK(quota.min.empty());
}

TEST_CASE("read quota: every form of an annotation that people write", "[experiments][quota]") {
    const std::string weight = GENERATE(R"('{"cpu":"4","nvidia.com/gpu":2}')",
                                        R"('{cpu:4, nvidia.com/gpu: 2}')",
                                        R"("{ 'cpu': 4, \"nvidia.com/gpu\": '2' }")",
                                        "{cpu: 4, nvidia.com/gpu: 2}",
                                        "{cpu:4, nvidia.com/gpu:2}",
                                        "{\"cpu\": \"4\", \"nvidia.com/gpu\": 2}");
    CAPTURE(weight);
    CHECK(only(with_annotation("shared-weight", weight)).shared_weight ==
          amounts({{"cpu", "4"}, {"nvidia.com/gpu", "2"}}));
    const std::string names = GENERATE(R"('["x", "y"]')", "'[x, y]'", "[x, y]");
    CAPTURE(names);
    CHECK(only(with_annotation("namespaces", names)).namespaces ==
          std::vector<std::string>{"x", "y"});
}

TEST_CASE("read quota: an annotation that is none is reported at its value",
          "[experiments][quota]") {
    using Row = std::tuple<std::string, std::string, std::string>;
    const auto [name, value, message] = GENERATE(table<std::string, std::string, std::string>({
        Row{"shared-weight", "cpu", "'cpu': expected quantities such as {cpu: 4, memory: 8Gi}"},
        Row{"shared-weight",
            "'{cpu 4}'",
            "'{cpu 4}': expected quantities such as {cpu: 4, memory: 8Gi}"},
        Row{"shared-weight", "[cpu]", "a list: expected quantities such as {cpu: 4, memory: 8Gi}"},
        Row{"shared-weight",
            "'{cpu: 4x}'",
            "'4x' of cpu: expected a Kubernetes quantity such as 500m, 16 or 256Gi"},
        Row{"total-resource",
            "'{\"cpu\": true}'",
            "'true' of cpu: expected a Kubernetes quantity such as 500m, 16 or 256Gi"},
        Row{"namespaces", "x", "'x': expected names such as [a, b]"},
        Row{"namespaces", "'[x,]'", "'[x,]': expected names such as [a, b]"},
        Row{"max-strict-check-resource-keys", "{a: b}", "a map: expected names such as [a, b]"},
    }));
    CAPTURE(name, value);
    core::Diagnostics diagnostics;
    (void)experiments::read_quotas(parsed(with_annotation(name, value)), diagnostics);
    const std::string all = errors(diagnostics);
    CHECK(all.substr(all.find(": error: "), all.find('\n') - all.find(": error: ")) ==
          ": error: " + name + " is " + message);
    CHECK_THAT(all, Catch::StartsWith("quotas.yaml:5:"));
}

TEST_CASE("read quota: in the strict syntax a bad annotation is for the rules",
          "[experiments][quota]") {
    core::Diagnostics diagnostics;
    experiments::QuotaReader reader(experiments::AnnotationSyntax::strict, diagnostics);
    const auto documents = parsed(with_annotation("shared-weight", "'{cpu:4}'"));
    const auto read = reader.read_quota(documents.front());
    REQUIRE(read);
    CHECK(errors(diagnostics).empty());
    CHECK(core::QuotaRules().create(read->quota) ==
          "shared-weight of a is '{cpu:4}': expected JSON such as {\"cpu\": \"4\", \"memory\": "
          "\"8Gi\"}");
    // The weight is not checked in an update that does not change it.
    core::QuotaRules rules;
    REQUIRE_FALSE(rules.create(only("kind: ElasticQuota\nmetadata: {name: a}\n")));
    core::ElasticQuota update = read->quota;
    update.parent = core::root_quota_name;
    CHECK_FALSE(rules.update(update));
}

TEST_CASE("read quota: lists, typed or not", "[experiments][quota]") {
    const std::string text = GENERATE(
        "kind: List\nitems: [{kind: ElasticQuota, metadata: {name: a}}, {kind: ConfigMap}, "
        "{kind: ElasticQuota, metadata: {name: b}}, {kind: Pod, metadata: {name: p}}]\n",
        "kind: ElasticQuotaList\nitems: [{metadata: {name: a}}, {metadata: {name: b}}]\n---\n"
        "kind: Pod\nmetadata: {name: p}\n");
    core::Diagnostics diagnostics;
    const auto documents = parsed(text);
    CHECK(experiments::holds_quotas(documents.front()));
    CHECK(experiments::read_quotas(documents, diagnostics).size() == 2);
    CHECK(experiments::read_pods(documents, diagnostics).size() == 1);
    CHECK(errors(diagnostics).empty());
    CHECK_FALSE(experiments::holds_quotas(parsed("kind: List\nitems: [{kind: Node}]").front()));
}

TEST_CASE("read quota: a label that nobody knows is a warning, once", "[experiments][quota]") {
    const std::string quota =
        "kind: ElasticQuota\nmetadata:\n  name: a\n  labels:\n"
        "    quota.scheduling.koordinator.sh/is-parnet: \"true\"\n"
        "    quota.scheduling.koordinator.sh/allow-lent-resource: \"no\"\n";
    core::Diagnostics diagnostics;
    (void)experiments::read_quotas(parsed(quota + "---\n" + quota), diagnostics);
    CHECK(errors(diagnostics).empty());
    REQUIRE(diagnostics.warnings().size() == 2);
    CHECK_THAT(diagnostics.warnings()[0],
               Catch::StartsWith("quotas.yaml:5:5: warning: unknown label 'is-parnet'") &&
                   Catch::Contains("(did you mean 'is-parent'?)"));
    CHECK_THAT(diagnostics.warnings()[1],
               Catch::Contains("allow-lent-resource is 'no', which counts as true: expected true "
                               "or false"));
}

TEST_CASE("read quota: a pod's quota, by either label", "[experiments][quota]") {
    const std::string name = GENERATE("name", "quota-name");
    core::Diagnostics diagnostics;
    const auto pods = experiments::read_pods(
        parsed("kind: Pod\nmetadata: {generateName: p-, namespace: n, labels: "
               "{quota.scheduling.koordinator.sh/" +
               name + ": team, quota.scheduling.koordinator.sh/preemptible: false}}\nspec: {}\n"),
        diagnostics);
    REQUIRE(pods.size() == 1);
    CHECK(errors(diagnostics).empty());
    CHECK(pods[0].pod.name == "p-");
    CHECK(pods[0].pod.pod_namespace == "n");
    CHECK(pods[0].pod.quota == "team");
    CHECK(pods[0].pod.preemptible == "false");
}

TEST_CASE("check quotas: the order in the file makes no difference", "[experiments][quota]") {
    const auto object = [](const std::string& name, const std::string& labels, int min) {
        std::string text = "kind: ElasticQuota\nmetadata:\n  name: " + name + "\n  labels: {";
        text += labels + "}\nspec: {min: {cpu: " + std::to_string(min) + "}, max: {cpu: 9}}\n---\n";
        return text;
    };
    const std::string domain = "quota.scheduling.koordinator.sh/";
    const std::string org = object("org", domain + "is-parent: true", 4);
    const std::string team = object("team", domain + "parent: org", 4);
    // The min of this quota is above what org has left, but force lets it in when it comes last.
    const std::string forced =
        object("forced", domain + "parent: org, " + domain + "allow-force-update: true", 4);
    for (const std::string& text :
         {org + team + forced, forced + team + org, team + org + forced}) {
        core::Diagnostics diagnostics;
        const auto quotas = experiments::read_quotas(parsed(text), diagnostics);
        const core::QuotaRules rules = experiments::check_quotas(quotas, diagnostics);
        CHECK(errors(diagnostics).empty());
        CHECK(rules.parents_first().size() == 3);
        CHECK(rules.parents_first().front()->name == "org");
    }
}
