// How tables are sorted, and which pods and quotas their filters find.

import assert from "node:assert/strict";
import test from "node:test";
import {fakeBox} from "./fake_page.mjs";
import {compareKeys, sortKey} from "../../experiments/program/report/page/base/table.js";
import {ganttMatch} from "../../experiments/program/report/page/pods/gantt_facts.js";
import {ganttModel} from "../../experiments/program/report/page/pods/gantt_data.js";
import {visibleQuotas} from "../../experiments/program/report/page/quotas/quota_tree.js";
import * as made from "./data.mjs";

fakeBox();

test("table: a cell is sorted by its number where it has one", () => {
  const keys = [["12", 12], ["1,234.5", 1234.5], ["18.3 ± 0.2", 18.3], ["> 40", 40], ["pack", "pack"], ["–", null], ["", null], [null, null], [3, 3]];
  for (const [cell, key] of keys) assert.equal(sortKey(cell), key, String(cell));
});

test("table: what is missing comes last both ways, numbers before texts, digits by their value", () => {
  const sorted = (list, sign) => [...list].sort((a, b) => compareKeys(a, b, sign));
  assert.deepEqual(sorted(["node-10", null, 2, "node-9", 10], 1), [2, 10, "node-9", "node-10", null]);
  assert.deepEqual(sorted(["node-10", null, 2, "node-9", 10], -1), [10, 2, "node-10", "node-9", null]);
});

test("table: the filter of pods knows names, groups and quotas", () => {
  const model = ganttModel(made.gantt());
  const found = (wanted) => ganttMatch(model, wanted) && [...ganttMatch(model, wanted)];
  assert.deepEqual(model.pods.names, ["job-0", "job-1", "job-2"]);
  assert.equal(found(""), null);
  assert.deepEqual(found("job-1"), [0, 1, 0]);
  assert.deepEqual(found("left"), [1, 0, 0]);
  assert.deepEqual(found("team"), [0, 1, 1]);
  assert.deepEqual(found("nothing"), [0, 0, 0]);
});

test("table: the filter of quotas keeps what stands above a find", () => {
  const quotas = made.quotas();
  const rows = (filter, open = new Set()) => visibleQuotas(quotas, {filter, open}).map(({quota, level}) => [quota, level]);
  assert.deepEqual(rows(""), [[0, 1]]);
  assert.deepEqual(rows("", new Set([0])), [[0, 1], [1, 2], [2, 2]]);
  assert.deepEqual(rows("borr"), [[0, 1], [2, 2]]);
  assert.deepEqual(rows("none of them"), []);
});
