#pragma once

#include <string_view>

namespace berth::experiments {

/// What stands behind the key `kueue` of a scheduler, as definitions of a JSON Schema.
inline constexpr std::string_view kueue_schema = R"({
 "kueue": {
  "description": "Kueue's objects, and how they take effect in the run.",
  "anyOf": [{"$ref": "#/$defs/path"}, {"$ref": "#/$defs/kueue-objects"}]
 },
 "kueue-objects": {
  "title": "kueue",
  "description": "Kueue's objects, and how they take effect in the run.",
  "type": "object",
  "properties": {
   "file": {
    "$ref": "#/$defs/path",
    "description": "The file of Kueue's objects, as `kubectl get -o yaml` prints them."
   },
   "objects": {
    "type": "array",
    "minItems": 1,
    "items": {"$ref": "#/$defs/object"},
    "description": "Kueue's objects themselves, in place of `file`."
   },
   "grace": {
    "$ref": "#/$defs/duration",
    "description": "How long the pods of a victim run on after its preemption; by default `0s`."
   },
   "latency": {
    "$ref": "#/$defs/kueue-latency",
    "description": "How long it takes Kueue to carry out its decisions."
   },
   "levels": {
    "type": "object",
    "additionalProperties": {"$ref": "#/$defs/text"},
    "description": "The level of each label of a Topology; by default the one with which it ends."
   },
   "changes": {
    "type": "array",
    "items": {"$ref": "#/$defs/kueue-change"},
    "description": "Objects that replace those of the same name during the run."
   }
  },
  "additionalProperties": false,
  "anyOf": [{"required": ["objects"]}, {"required": ["file"]}]
 },
 "kueue-latency": {
  "title": "kueue.latency",
  "description": "How long it takes Kueue to carry out its decisions.",
  "type": "object",
  "properties": {
   "admit": {
    "$ref": "#/$defs/duration",
    "description": "How long it takes to write one admission; by default `0s`."
   },
   "retry": {
    "$ref": "#/$defs/duration",
    "not": {"enum": [0, "0", "0s"]},
    "description": "How long after a release parked workloads are offered again; by default `1s`."
   }
  },
  "additionalProperties": false
 },
 "kueue-change": {
  "title": "an entry of changes",
  "description": "Objects of Kueue that replace those of the same name at a time of the run.",
  "type": "object",
  "properties": {
   "at": {"$ref": "#/$defs/duration", "description": "When the objects change."},
   "file": {
    "$ref": "#/$defs/path",
    "description": "The file of the complete ClusterQueues, Cohorts and LocalQueues."
   },
   "objects": {
    "type": "array",
    "minItems": 1,
    "items": {"$ref": "#/$defs/object"},
    "description": "The complete ClusterQueues, Cohorts and LocalQueues, in place of `file`."
   }
  },
  "required": ["at"],
  "additionalProperties": false,
  "anyOf": [{"required": ["objects"]}, {"required": ["file"]}]
 }
})";

}  // namespace berth::experiments
