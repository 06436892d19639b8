// Cumulative curves, periods of series, and rows that pods occupy.

import assert from "node:assert/strict";
import test from "node:test";
import {quantileOf, shareAt} from "../../experiments/program/report/page/distributions/cumulative_figure.js";
import {Lanes, stretches} from "../../experiments/program/report/page/pods/lanes.js";
import {stepIndex, parentAt, quotaSteps} from "../../experiments/program/report/page/quotas/quota_data.js";
import {heldUntil, overUses} from "../../experiments/program/report/page/quotas/quota_figure.js";
import {joinedLoans} from "../../experiments/program/report/page/quotas/lending_figure.js";
import {unitOf} from "../../experiments/program/report/page/series/series_lines.js";
import * as made from "./data.mjs";

test("curves: a share is that of the last step, a quantile the first value that reaches it", () => {
  const curve = made.cumulative();  // Kaplan and Meier: a quarter never ends
  assert.deepEqual([-1, 0, 5, 10, 30, 99].map((value) => shareAt(curve, value)), [0, 0.25, 0.25, 0.5, 0.75, 0.75]);
  assert.deepEqual([0.1, 0.25, 0.26, 0.75].map((share) => quantileOf(curve, share)), [0, 0, 10, 30]);
  assert.equal(quantileOf(curve, 0.76), null, "nobody knows what the longest take");
});

test("curves: a step holds until the next one, and the last until the end", () => {
  assert.deepEqual([-1, 0, 9, 10, 11].map((time) => stepIndex([0, 10], time)), [-1, 0, 0, 1, 1]);
  assert.deepEqual(heldUntil([0, 10], [1, 2], 20), [[0, 1], [10, 2], [20, 2]]);
  assert.deepEqual(heldUntil([0, 10], [1, 2], 10), [[0, 1], [10, 2]]);
});

test("curves: more in use than runtime lasts until the step that ends it", () => {
  const steps = {time: [0, 5, 10], used: [4, 6, null], runtime: [5, 5, 5], min: [], max: [], request: []};
  assert.deepEqual(overUses(steps, 20), [[5, 10, 5, 6]]);
  assert.deepEqual(overUses({...steps, used: [4, 6, 7]}, 20), [[5, 10, 5, 6], [10, 20, 5, 7]]);
});

test("curves: one number in the place of a column holds at each time", () => {
  assert.deepEqual(quotaSteps(made.quotas(), 1, 0).used, [1, 1]);
  assert.equal(quotaSteps(made.quotas(), 1, 3), null);
});

test("curves: a quota that moved has the parent of the time", () => {
  const quotas = {...made.quotas(), parents: [-1, 0, 1], moves: [[2, 0, 0], [2, 10, 1]]};
  assert.deepEqual([0, 9, 10].map((time) => parentAt(quotas, 2, time)), [0, 0, 1]);
  assert.equal(parentAt(quotas, 1, 5), 0);
});

test("curves: loans beyond the largest lenders and borrowers are joined, and none is lost", () => {
  const rows = Array.from({length: 30}, (_, i) => [i + 1, 40, 30 - i]);
  const joined = joinedLoans([...rows, ["unreserved", 40, 5]]);
  assert.equal(joined.reduce((sum, {hours}) => sum + hours, 0), rows.reduce((sum, [, , hours]) => sum + hours, 5));
  assert.equal(joined.length, 14);
  assert.ok(joined.some(({lender}) => lender === "others") && joined.some(({lender}) => lender === "unreserved"));
});

test("curves: a pod takes the lowest rows that are free", () => {
  const lanes = new Lanes();
  assert.deepEqual([lanes.one(0, 10), lanes.one(5, 8), lanes.one(8, 9), lanes.one(10, 12)], [0, 1, 1, 0]);
  assert.deepEqual(lanes.take(11, 13, 2), [1, 2]);
  assert.deepEqual(stretches([1, 2, 3, 7, 9, 10]), [[1, 3], [7, 1], [9, 2]]);
});

test("curves: lines share an axis by their unit", () => {
  const units = [["wait_s", [1], "seconds"], ["used_bytes", [1], "bytes"], ["gpu_utilization", [0.5, 1], "share"], ["slowdown", [3], "ratio"],
    ["pods", [0, 1], "number"], ["free_part", [0.5], "share"], ["unallocated_pct", [3], "percent"]];
  for (const [name, values, unit] of units) assert.equal(unitOf(name, values), unit, name);
});
