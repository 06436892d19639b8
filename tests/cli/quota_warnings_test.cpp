// Oddities in the quotas of an experiment that may be intended.

#include <catch2/catch.hpp>
#include <string>

#include "documents.hpp"
#include "folder.hpp"
#include "quota_experiment.hpp"

using namespace berth::tests;

TEST_CASE("what is odd about quotas is a warning", "[cli]") {
    struct Row {
        std::string what;
        std::string instead_of;
        std::string put;
        std::string warning;  ///< Empty: there is none.
    };
    const Row row = GENERATE(
        Row{"nothing", "", "", ""},
        Row{"mins that are more than the cluster",
            "spec: {min: {cpu: 2}, max: {cpu: 8}}",
            "spec: {min: {cpu: 7}, max: {cpu: 8}}",
            "bad.yaml:12:5: warning: the mins of alone, org are together 17 cpu, more than the 16 "
            "of the cluster: not all of them can have their min"},
        Row{"a pod without a quota",
            "quota: alone, count",
            "count",
            "bad.yaml:44:11: warning: b names no quota: it belongs to the default group, which "
            "only defaultGroupMax of elastic-quota limits"},
        Row{"the default group by name",
            "quota: alone, count",
            "quota: koordinator-default-quota, count",
            ""},
        Row{"a resource that no server has",
            "max: {cpu: 8}}",
            "max: {cpu: 8, gpu: 3}}",
            "bad.yaml:26:19: warning: no server has the resource 'gpu': quotas limit nothing by "
            "it"},
        Row{"a recycler without runtimes",
            "limit: runtime",
            "limit: max",
            "bad.yaml:49:5: warning: recycler without elastic-quota and limit: runtime: it revokes "
            "nothing"},
        Row{"a label that nobody knows",
            "allow-lent-resource",
            "allow-lent",
            "bad.yaml:27:22: warning: unknown label 'allow-lent', which is not read: expected "});
    CAPTURE(row.what);
    const Folder folder;
    folder.write("bad.yaml", replaced(sound_quotas, row.instead_of, row.put));
    const Answer answer = folder.berth({"run", "bad.yaml", "--quiet"});
    CHECK(answer.status == 0);
    if (row.warning.empty()) {
        CHECK(answer.err.empty());
    } else {
        CHECK_THAT(answer.first_line(), Catch::StartsWith(row.warning));
    }
}

TEST_CASE("pods of a quota that comes later are no warning", "[cli]") {
    const Folder folder;
    const std::string created =
        "create: {kind: ElasticQuota, metadata: {name: later}, spec: {max: {cpu: 3}}}";
    folder.write("run.yaml",
                 replaced(replaced(sound_quotas, "quota: alone, count", "quota: later, count"),
                          "update: {name: alone, max: {cpu: 4}}",
                          created));
    const Answer answer = folder.berth({"run", "run.yaml", "--quiet"});
    CHECK(answer.status == 0);
    CHECK(answer.err.empty());
}

TEST_CASE("an unknown quota of pods is refused, unless that is asked for", "[cli][bad-input]") {
    const Folder folder;
    const std::string unknown = replaced(sound_quotas, "quota: alone, count", "quota: alon, count");
    folder.write("bad.yaml", unknown);
    const Answer refused = folder.berth({"run", "bad.yaml", "--quiet"});
    CHECK(refused.status == 2);
    CHECK(refused.first_line() ==
          "bad.yaml:44:39: error: unknown quota 'alon': expected one of the experiment's (did you "
          "mean 'alone'?); unknownQuotas: default-group has such pods belong to the default group");
    const Answer allowed =
        folder.berth({"run", "bad.yaml", "--quiet", "--set", "spec.unknownQuotas=default-group"});
    CHECK(allowed.status == 0);
    CHECK_THAT(allowed.err,
               Catch::Contains("warning: unknown quota 'alon': its pods belong to the default "
                               "group (did you mean 'alone'?)"));
    // A name that is like no other is meant.
    folder.write("bad.yaml", replaced(sound_quotas, "quota: alone, count", "quota: zzz, count"));
    const Answer meant =
        folder.berth({"run", "bad.yaml", "--quiet", "--set", "spec.unknownQuotas=default-group"});
    CHECK(meant.status == 0);
    CHECK(meant.err.find("unknown quota") == std::string::npos);
}
