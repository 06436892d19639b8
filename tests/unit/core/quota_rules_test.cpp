#include <catch2/catch.hpp>
#include <functional>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "core/elastic_quota/quota_rules.hpp"

namespace core = berth::core;

namespace {

using core::ElasticQuota;
using core::QuotaRules;

core::Quantities amounts(std::initializer_list<std::pair<const char*, const char*>> texts) {
    core::Quantities all;
    for (const auto& [resource, text] : texts) {
        all[resource] = std::get<core::Quantity>(core::parse_exact_quantity(text));
    }
    return all;
}

/// A leaf with amounts of cpu alone.
ElasticQuota leaf(std::string name, std::string parent, const char* min, const char* max) {
    ElasticQuota quota;
    quota.name = std::move(name);
    quota.parent = std::move(parent);
    quota.min = amounts({{"cpu", min}});
    quota.max = amounts({{"cpu", max}});
    return quota;
}

ElasticQuota parent(std::string name, std::string above, const char* min, const char* max) {
    ElasticQuota quota = leaf(std::move(name), std::move(above), min, max);
    quota.is_parent = true;
    return quota;
}

template <class Change>
ElasticQuota changed(ElasticQuota quota, Change change) {
    change(quota);
    return quota;
}

/// org (10 of 20 CPUs) with team-a (4 of 8) and the parent dept (2 of 8), which has lab; and the
/// quota alone.
QuotaRules sound_rules() {
    QuotaRules rules;
    REQUIRE_FALSE(rules.create(parent("org", "", "10", "20")));
    REQUIRE_FALSE(rules.create(leaf("team-a", "org", "4", "8")));
    REQUIRE_FALSE(rules.create(parent("dept", "org", "2", "8")));
    REQUIRE_FALSE(rules.create(leaf("lab", "dept", "1", "8")));
    ElasticQuota alone = leaf("alone", "", "1", "2");
    alone.namespaces = {"space"};
    REQUIRE_FALSE(rules.create(alone));
    return rules;
}

struct Row {
    std::string what;
    std::function<core::Refusal(QuotaRules&)> change;
    std::string refusal;  ///< Empty: allowed.
};

void check(const std::vector<Row>& rows) {
    for (const Row& row : rows) {
        CAPTURE(row.what);
        QuotaRules rules = sound_rules();
        const std::size_t count = rules.parents_first().size();
        CHECK(row.change(rules).value_or("") == row.refusal);
        if (!row.refusal.empty()) {
            CHECK(rules.parents_first().size() == count);
        }
    }
}

const std::string root = core::root_quota_name;

}  // namespace

TEST_CASE("quota rules: what one quota may say", "[core][quota]") {
    const auto create = [](const ElasticQuota& quota) {
        return [quota](QuotaRules& rules) { return rules.create(quota); };
    };
    const ElasticQuota sound = leaf("new", "", "1", "2");
    check({
        {"a sound one", create(sound), ""},
        {"max below 0",
         create(leaf("new", "", "0", "-1")),
         "max of new is -1 cpu: expected at least 0"},
        {"min below 0",
         create(leaf("new", "", "-500m", "1")),
         "min of new is -500m cpu: expected at least 0"},
        {"a weight that cannot be read",
         create(changed(sound, [](auto& q) { q.shared_weight_fault = "'x': expected JSON"; })),
         "shared-weight of new is 'x': expected JSON"},
        {"a weight below 0",
         create(changed(sound, [](auto& q) { q.shared_weight = amounts({{"cpu", "-1"}}); })),
         "shared-weight of new is -1 cpu: expected at least 0"},
        {"max below min",
         create(leaf("new", "", "3", "2")),
         "min of new is 3 cpu: expected at most its max, 2"},
        {"min without max",
         create(changed(sound, [](auto& q) { q.min = amounts({{"memory", "1Gi"}}); })),
         "min of new is 1Gi memory and its max has none: expected max of each resource of min"},
        {"max below use",
         create(changed(sound,
                        [](auto& q) {
                            q.max_strict_check_resource_keys = {"cpu"};
                            q.used = amounts({{"cpu", "3"}});
                        })),
         "max of new is 2 cpu: expected at least what is used, 3"},
        {"use without max",
         create(changed(sound,
                        [](auto& q) {
                            q.max_strict_check_resource_keys = {"gpu"};
                            q.used = amounts({{"gpu", "3"}});
                        })),
         "max of new is without gpu: expected at least what is used, 3"},
        {"use that nobody checks",
         create(changed(sound, [](auto& q) { q.used = amounts({{"cpu", "3"}}); })),
         ""},
        {"checked keys that cannot be read",
         create(changed(sound, [](auto& q) { q.strict_keys_fault = "'x': expected JSON"; })),
         "max-strict-check-resource-keys of new is 'x': expected JSON"},
    });
}

TEST_CASE("quota rules: where a new quota may stand", "[core][quota]") {
    const auto create = [](const ElasticQuota& quota) {
        return [quota](QuotaRules& rules) { return rules.create(quota); };
    };
    const ElasticQuota sound = leaf("new", "org", "4", "30");
    check({
        {"below a parent, with a larger max", create(sound), ""},
        {"a name that is taken",
         create(leaf("lab", "", "1", "1")),
         "a quota is named lab already: expected another name"},
        {"a namespace that is bound",
         create(changed(sound, [](auto& q) { q.namespaces = {"space"}; })),
         "namespace space of new is bound to alone: expected it in one quota only"},
        {"a parent that nobody knows",
         create(leaf("new", "nobody", "1", "1")),
         "unknown parent nobody of new: expected the name of a quota"},
        {"a parent that nobody knows, in a tree",
         create(changed(leaf("new", "nobody", "1", "1"), [](auto& q) { q.tree_id = "t"; })),
         "unknown parent nobody of new: expected the name of a quota"},
        {"below a leaf",
         create(leaf("new", "team-a", "1", "1")),
         "parent team-a of new is a leaf: expected a quota with is-parent true"},
        {"in another tree than its parent",
         create(changed(sound, [](auto& q) { q.tree_id = "t"; })),
         "tree-id of new is 't': expected '', that of its parent org"},
        {"other resources than its parent",
         create(changed(sound, [](auto& q) { q.max = amounts({{"cpu", "9"}, {"gpu", "1"}}); })),
         "max of new has cpu, gpu: expected the resources of its parent org, cpu"},
        {"sum of min above the parent's",
         create(leaf("new", "org", "6", "8")),
         "min of the children of org is 12 cpu with new: expected at most its min, 10"},
        {"the same by force",
         create(
             changed(leaf("new", "org", "6", "8"), [](auto& q) { q.allow_force_update = true; })),
         ""},
        {"the same of a tree's root",
         create(changed(leaf("new", "org", "6", "8"), [](auto& q) { q.is_root = true; })),
         ""},
        {"any min on the first level", create(parent("new", "", "900", "900")), ""},
    });
}

TEST_CASE("quota rules: min may have the resources of the parent's min only", "[core][quota]") {
    QuotaRules rules;
    ElasticQuota org = parent("org", "", "1", "9");
    org.max = amounts({{"cpu", "9"}, {"gpu", "9"}});
    REQUIRE_FALSE(rules.create(org));
    ElasticQuota team = org;
    team.name = "team";
    team.parent = "org";
    team.min = amounts({{"gpu", "0"}});
    CHECK(rules.create(team) ==
          "min of team has gpu: expected at most the resources of its parent org, cpu");
    team.min = {};
    CHECK_FALSE(rules.create(team));
    org.min = {};
    CHECK_FALSE(rules.update(org));
}

TEST_CASE("quota rules: what may change", "[core][quota]") {
    // Changes a quota of sound_rules() as it is known, and updates it.
    const auto update = [](const std::string& name, auto change) {
        return [name, change](QuotaRules& rules) {
            return rules.update(changed(*rules.find(name), change));
        };
    };
    const auto min = [](const char* cpu) {
        return [cpu](ElasticQuota& q) { q.min = amounts({{"cpu", cpu}}); };
    };
    const auto to = [](const char* parent) {
        return [parent](ElasticQuota& q) { q.parent = parent; };
    };
    check({
        {"nothing", update("lab", [](auto&) {}), ""},
        {"a weight that cannot be read, and nothing else",
         update("lab", [](auto& q) { q.shared_weight_fault = "'x': expected JSON"; }),
         ""},
        {"a quota that nobody knows",
         [](QuotaRules& rules) { return rules.update(leaf("nobody", "", "1", "1")); },
         "unknown quota nobody: expected one that was created"},
        {"the root",
         [](QuotaRules& rules) { return rules.update(leaf(root, "", "1", "1")); },
         root + " cannot be changed: expected another quota"},
        {"a namespace that is bound",
         update("lab", [](auto& q) { q.namespaces = {"space"}; }),
         "namespace space of lab is bound to alone: expected it in one quota only"},
        {"a larger min that the parent has", update("team-a", min("8")), ""},
        {"a larger min than the parent has",
         update("team-a", [](auto& q) { q.min = q.max = amounts({{"cpu", "9"}}); }),
         "min of the children of org is 11 cpu with team-a: expected at most its min, 10"},
        {"a smaller min than the children have",
         update("org", min("5")),
         "min of the children of org is 6 cpu: expected at most its min, 5"},
        {"the same by force",
         update("org",
                [](auto& q) {
                    q.min = amounts({{"cpu", "5"}});
                    q.allow_force_update = true;
                }),
         ""},
        {"other resources than the children",
         update("dept", [](auto& q) { q.max["gpu"] = 0; }),
         "max of dept has cpu, gpu: expected the resources of its parent org, cpu"},
        {"a first-level quota's resources, with children",
         update("org", [](auto& q) { q.max["gpu"] = 0; }),
         "max of dept has cpu: expected the resources of its parent org, cpu, gpu"},
        {"another parent", update("lab", to("org")), ""},
        {"another parent without room",
         update("team-a", to("dept")),
         "min of the children of dept is 5 cpu with team-a: expected at most its min, 2"},
        {"itself as parent",
         update("dept", to("dept")),
         "parent dept of dept is itself: expected a parent that is not below it"},
        {"a descendant as parent",
         update("org", to("dept")),
         "parent dept of org is below it: expected a parent that is not below it"},
        {"a parent into a leaf",
         update("org", [](auto& q) { q.is_parent = false; }),
         "org has children, dept, team-a, and becomes a leaf: expected is-parent true"},
        {"a leaf into a parent", update("lab", [](auto& q) { q.is_parent = true; }), ""},
        {"another tree",
         update("alone", [](auto& q) { q.tree_id = "t"; }),
         "tree-id of alone is 't': expected '', as before"},
    });
}

TEST_CASE("quota rules: what changes is in force, looked at or not", "[core][quota]") {
    QuotaRules rules = sound_rules();
    // This change is not checked, because parent, tree, namespaces, min and max stay the same.
    ElasticQuota lab = *rules.find("lab");
    lab.allow_lent_resource = false;
    lab.shared_weight = amounts({{"cpu", "3"}});
    REQUIRE_FALSE(rules.update(lab));
    CHECK_FALSE(rules.find("lab")->allow_lent_resource);
    CHECK(rules.find("lab")->shared_weight == lab.shared_weight);
    lab.parent = "org";
    lab.min = amounts({{"cpu", "1"}});
    REQUIRE_FALSE(rules.update(lab));
    CHECK(rules.find("lab")->parent == "org");
    CHECK(rules.find("lab")->min == lab.min);
    // An unknown quota that states nothing is accepted but not added.
    ElasticQuota nobody;
    nobody.name = "nobody";
    CHECK_FALSE(rules.update(nobody));
    CHECK(rules.find("nobody") == nullptr);
    // A refused update is not adopted.
    lab.min = amounts({{"cpu", "-1"}});
    REQUIRE(rules.update(lab));
    CHECK(rules.find("lab")->min == amounts({{"cpu", "1"}}));
}

TEST_CASE("quota rules: a quota with pods does not become a parent", "[core][quota]") {
    const auto [label, pod_namespace] = GENERATE(
        table<std::string, std::string>({{"alone", "elsewhere"}, {"", "alone"}, {"", "space"}}));
    QuotaRules rules = sound_rules();
    REQUIRE_FALSE(rules.add_pod({"pod", pod_namespace, label, ""}));
    ElasticQuota alone = *rules.find("alone");
    alone.is_parent = true;
    CHECK(rules.update(alone) == "alone has pods and becomes a parent: expected is-parent false");
}

TEST_CASE("quota rules: what may be deleted", "[core][quota]") {
    const auto remove = [](const std::string& name) {
        return [name](QuotaRules& rules) { return rules.remove(name); };
    };
    check({
        {"a leaf", remove("lab"), ""},
        {"the default group",
         remove(core::default_quota_name),
         std::string(core::default_quota_name) + " cannot be deleted: expected another quota"},
        {"what nobody knows",
         remove("nobody"),
         "unknown quota nobody: expected one that was created"},
        {"a parent with children",
         remove("org"),
         "org has children, dept, team-a: expected none when it is deleted"},
        {"a quota with pods",
         [](QuotaRules& rules) {
             for (const char* pod : {"x", "y", "z"}) {
                 REQUIRE_FALSE(rules.add_pod({pod, "any", "lab", ""}));
             }
             return rules.remove("lab");
         },
         "lab has pods, x, y, ...: expected none when it is deleted"},
        {"a quota with pods of its namespace only",
         [](QuotaRules& rules) {
             REQUIRE_FALSE(rules.add_pod({"x", "space", "", ""}));
             return rules.remove("alone");
         },
         ""},
    });
}

TEST_CASE("quota rules: a deleted quota leaves nothing behind", "[core][quota]") {
    QuotaRules rules = sound_rules();
    REQUIRE_FALSE(rules.remove("alone"));
    REQUIRE_FALSE(rules.remove("team-a"));
    ElasticQuota again = leaf("again", "org", "8", "8");  // takes the room of team-a
    again.namespaces = {"space"};
    CHECK_FALSE(rules.create(again));
    CHECK(rules.remove("org") == "org has children, again, dept: expected none when it is deleted");
}

TEST_CASE("quota rules: pods run in leaves", "[core][quota]") {
    const auto add = [](const core::LabelledPod& pod) {
        return [pod](QuotaRules& rules) { return rules.add_pod(pod); };
    };
    check({
        {"a leaf", add({"x", "any", "lab", ""}), ""},
        {"a quota that nobody knows", add({"x", "any", "nobody", ""}), ""},
        {"a parent",
         add({"x", "any", "org", ""}),
         "pod x is in org, which is a parent: expected a leaf"},
        {"preemptible changed",
         [](QuotaRules& rules) {
             return rules.update_pod({"x", "any", "lab", ""}, {"x", "any", "lab", "false"});
         },
         "preemptible of pod x is 'false': expected '', as before"},
        {"moved to a parent",
         [](QuotaRules& rules) {
             return rules.update_pod({"x", "any", "lab", ""}, {"x", "any", "org", ""});
         },
         "pod x is in org, which is a parent: expected a leaf"},
    });
}

TEST_CASE("quota rules: which quota a pod belongs to", "[core][quota]") {
    QuotaRules rules = sound_rules();
    ElasticQuota home = leaf("home", "", "1", "1");
    home.object_namespace = "home";
    REQUIRE_FALSE(rules.create(home));
    const auto quota_of = [&](const std::string& pod_namespace, const std::string& label) {
        return rules.quota_of({"x", pod_namespace, label, ""});
    };
    CHECK(quota_of("space", "lab") == "lab");
    CHECK(quota_of("space", "") == "alone");
    CHECK(quota_of("home", "") == "home");
    CHECK(quota_of("lab", "") == core::default_quota_name);  // lab is in another namespace
    CHECK(quota_of("space", "nobody") == core::default_quota_name);
    CHECK(quota_of("any", core::system_quota_name) == core::system_quota_name);
}

TEST_CASE("quota rules: what is not stated is filled in", "[core][quota]") {
    QuotaRules rules;
    ElasticQuota org = parent("org", "", "10", "20");
    org.tree_id = "t";
    REQUIRE_FALSE(rules.create(org));
    ElasticQuota team = leaf("team", "org", "1", "2");
    team.shared_weight = amounts({{"gpu", "3"}});
    REQUIRE_FALSE(rules.create(team));
    CHECK(rules.find("org")->parent == root);
    CHECK(rules.find("team")->tree_id == "t");
    CHECK(rules.find("team")->shared_weight == amounts({{"cpu", "2"}}));
    const auto ordered = rules.parents_first();
    REQUIRE(ordered.size() == 2);
    CHECK(ordered[0]->name == "org");
}

TEST_CASE("quota rules: ten thousand siblings are no burden", "[core][quota]") {
    QuotaRules rules;
    REQUIRE_FALSE(rules.create(parent("org", "", "10000", "10000")));
    for (int i = 0; i < 10'000; ++i) {
        REQUIRE_FALSE(rules.create(leaf("team-" + std::to_string(i), "org", "1", "2")));
    }
    CHECK(rules.create(leaf("one-more", "org", "1", "2")) ==
          "min of the children of org is 10001 cpu with one-more: expected at most its min, 10000");
}
