#pragma once

#include <string>

namespace berth::tests {

/// A valid experiment with quotas on three levels.
inline const std::string sound_quotas = R"(apiVersion: berth/v1
kind: Experiment
metadata: {name: quotas}
spec:
  topology:
    spec:
      levels: [{name: server, count: 2}]
      machines: [{type: host}]
      machineTypes: {host: {capacity: {cpu: 8}}}
  types: {one: {cpu: 1}, two: {cpu: 2}}
  quotas:
    - objects:
        - kind: ElasticQuota
          metadata:
            name: org
            labels: {quota.scheduling.koordinator.sh/is-parent: "true"}
          spec: {min: {cpu: 10}, max: {cpu: 16}}
        - kind: ElasticQuota
          metadata:
            name: team
            labels: {quota.scheduling.koordinator.sh/parent: org}
            annotations: {quota.scheduling.koordinator.sh/shared-weight: '{"cpu": "4"}'}
          spec: {min: {cpu: 6}, max: {cpu: 12}}
        - kind: ElasticQuota
          metadata:
            name: alone
            labels: {quota.scheduling.koordinator.sh/allow-lent-resource: "true"}
          spec: {min: {cpu: 2}, max: {cpu: 8}}
        - kind: ElasticQuota
          metadata:
            name: dept
            labels:
              quota.scheduling.koordinator.sh/parent: org
              quota.scheduling.koordinator.sh/is-parent: "true"
          spec: {min: {cpu: 3}, max: {cpu: 9}}
        - kind: ElasticQuota
          metadata:
            name: lab
            labels: {quota.scheduling.koordinator.sh/parent: dept}
          spec: {min: {cpu: 1}, max: {cpu: 9}}
  workload:
    - pods:
        - {name: a, type: one, quota: team, count: 3, at: 0s, lifetime: 1m}
        - {name: b, type: two, quota: alone, count: 3, at: 1s, lifetime: 1m}
  quotaChanges:
    - {at: 10s, update: {name: alone, max: {cpu: 4}}}
    - {at: 20s, delete: org}
  scheduler:
    profile:
      queueSort: drf
      preFilter: [{name: elastic-quota, limit: runtime, refresh: 2s}]
      postFilter: [{name: in-quota-preemption, defaultGroup: true}]
    lostWork: 0.5
  recycler: {period: 1s, patience: 5s}
  failures: {events: [{at: 30s, node: server-1, event: fail}]}
)";

}  // namespace berth::tests
