#!/usr/bin/env bash
# A million pods in a three-level tree of 1 000 quotas on 10 000 servers, in one run: writes the documents into a folder
# and runs them. usage: million.sh [FOLDER]
set -euo pipefail
cd "$(dirname "$0")/../.."
out=${1:-out/million}
mkdir -p "$out"

awk 'function quota(name, parent, min, max, is_parent) {
    printf "---\napiVersion: scheduling.sigs.k8s.io/v1alpha1\nkind: ElasticQuota\nmetadata:\n"
    printf "  name: %s\n  labels:\n", name
    if (parent != "") printf "    quota.scheduling.koordinator.sh/parent: %s\n", parent
    printf "    quota.scheduling.koordinator.sh/is-parent: \"%s\"\n", is_parent
    printf "spec: {min: {cpu: %d}, max: {cpu: %d}}\n", min, max
}
BEGIN {
    # 10 organizations, 100 teams, 890 projects; 320 000 cores, of which 267 000 are guaranteed.
    for (i = 0; i < 890; ++i) { min[i % 100] += 300; max[i % 100] += 600 + 200 * (i % 4) }
    for (t = 0; t < 100; ++t) { org_min[int(t / 10)] += min[t]; org_max[int(t / 10)] += max[t] }
    for (o = 0; o < 10; ++o) quota("org-" o, "", org_min[o], org_max[o], "true")
    for (t = 0; t < 100; ++t) quota("team-" t, "org-" int(t / 10), min[t], max[t], "true")
    for (i = 0; i < 890; ++i) quota("project-" i, "team-" i % 100, 300, 600 + 200 * (i % 4), "false")
}' > "$out/quotas.yaml"

awk 'BEGIN {
    print "apiVersion: berth/v1\nkind: Experiment\nmetadata: {name: million}\nspec:"
    print "  topology:\n    spec:"
    print "      levels: [{name: room, count: 10}, {name: rack, count: 50}, {name: server, count: 20}]"
    print "      machines: [{type: node}]"
    print "      machineTypes: {node: {capacity: {cpu: 32, memory: 256Gi}}}"
    print "  types: {small: {cpu: 2, memory: 8Gi}, large: {cpu: 8, memory: 64Gi}}"
    print "  quotas: [{file: quotas.yaml}]\n  workload:"
    # 890 projects with 1 124 pods each, of which a quarter are large, in about 28 hours: the cluster has room for
    # 0.9 of what they ask for at a time.
    for (i = 0; i < 890; ++i) {
        printf "    - generate:\n        name: project-%d\n", i
        print "        arrivals: {distribution: exponential, mean: 90s}"
        print "        service: {distribution: exponential, mean: 2h30m}"
        print "        count: 1124\n        mix:"
        printf "          - {type: small, weight: 3, quota: project-%d}\n", i
        printf "          - {type: large, weight: 1, quota: project-%d}\n", i
    }
    print "  scheduler: {profile: {preFilter: [elastic-quota]}}"
    print "  recycler: {period: 1s, patience: 30s}"
    print "  record: {sampleEvery: 1h, placements: false}"
}' > "$out/experiment.yaml"

build/release/berth run "$out/experiment.yaml" -o "$out/run" -j 1
grep -E 'wall_s|peak_memory' "$out/run/run.json"
