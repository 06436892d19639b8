// A sweep's numbers: averages over points, tests between them, the address, and the filter of its points.

import assert from "node:assert/strict";
import test from "node:test";
import {takeData} from "../../experiments/program/report/page/base/state.js";
import {differencesAgainst} from "../../experiments/program/report/page/sweep/differences.js";
import {roundRange, scaleOf} from "../../experiments/program/report/page/sweep/line_look.js";
import {wantedMetrics, wantedPoints} from "../../experiments/program/report/page/sweep/point_filter.js";
import {betaShare, holmAdjusted, ofStudent} from "../../experiments/program/report/page/sweep/student.js";
import {sweepCells, sweepMeansOf} from "../../experiments/program/report/page/sweep/sweep_data.js";
import {setRole, sweepHash, sweepView} from "../../experiments/program/report/page/sweep/sweep_view.js";
import * as made from "./data.mjs";

const open = (change = {}) => {
  takeData(made.page({sweep: {...made.sweep(), ...change}}));
  Object.assign(sweepView, {metric: "wait_s_mean", x: "load", by: "policy", panel: null, where: {}, filter: "", sort: "", page: 0, names: "", scales: "", against: 0});
};
const view = (more) => ({metric: "wait_s_mean", x: "load", by: null, panel: null, where: {}, ...more});

test("sweep: a mark is the mean of its replications, with Student's interval", () => {
  open();
  const [first] = sweepCells(view({by: "policy"}));
  assert.deepEqual(first, {x: 0, by: 0, panel: 0, n: 3, mean: 2, ci95: 2.48414, sd: 1, min: 1, q1: 1.5, median: 2, q3: 2.5, max: 3, points: 1});
});

test("sweep: points are averaged replication by replication", () => {
  open();
  const cells = sweepCells(view());
  assert.deepEqual(cells.map(({mean, points, n}) => [mean, points, n]), [[2.5, 2, 3], [7.33333, 2, 3]]);
  assert.deepEqual(sweepCells(view({where: {policy: "spread"}})).map(({mean}) => mean), [3, 9.66667]);
});

test("sweep: a point without values is not among the averages, and a replication without one is not counted", () => {
  const values = new Float32Array([1, 2, NaN, 2, 3, 4, NaN, NaN, NaN, 8, 9, 12]);
  open({metrics: [{name: "wait_s_mean", values: btoa(String.fromCharCode(...new Uint8Array(values.buffer)))}]});
  assert.deepEqual(sweepCells(view()).map(({mean, points, n}) => [mean, points, n]), [[2, 2, 2], [9.66667, 1, 3]]);
  assert.equal(sweepMeansOf("wait_s_mean")[2], null);
});

test("sweep: of sums of replications there are means, and no quartiles over several points", () => {
  const summary = [[3, 2, 1, 0.5, 1, 1.5, 2, 2.5, 3], [3, 4, 3, 0.5, 3, 3.5, 4, 4.5, 5], [0, ...Array(8).fill(NaN)], [3, 8, NaN, 1, 7, 7.5, 8, 8.5, 9]];
  open({metrics: [{name: "wait_s_mean", summed: true, values: btoa(String.fromCharCode(...new Uint8Array(new Float32Array(summary.flat()).buffer)))}]});
  const [low, high] = sweepCells(view());
  assert.deepEqual([low.mean, low.ci95, low.median, low.points], [3, 2, null, 2]);
  assert.deepEqual([high.mean, high.ci95, high.median, high.points], [8, null, 8, 1]);
});

test("sweep: one number in the place of a column holds at all finished points", () => {
  open({unfinished: [3]});
  assert.deepEqual(sweepMeansOf("pods").map((mean) => mean?.mean ?? null), [10, 10, 10, null]);
});

test("sweep: p is Student's, and Holm's correction never goes down", () => {
  assert.ok(Math.abs(ofStudent(2.776445, 4) - 0.05) < 1e-6);
  assert.ok(Math.abs(ofStudent(12.7062, 1) - 0.05) < 1e-6);
  assert.equal(betaShare(0, 2, 3), 0);
  assert.equal(betaShare(1, 2, 3), 1);
  assert.ok(Math.abs(betaShare(0.5, 2, 2) - 0.5) < 1e-12);
  const adjusted = holmAdjusted([0.04, 0.01, 0.03]);
  [0.06, 0.03, 0.06].forEach((p, i) => assert.ok(Math.abs(adjusted[i] - p) < 1e-12, String(adjusted)));
  assert.deepEqual(holmAdjusted([]), []);
});

test("sweep: differences are taken seed by seed", () => {
  open();
  const {rows, tests} = differencesAgainst("wait_s_mean", 0);
  assert.deepEqual(rows.map(({point, n, mean, equal}) => [point, n, Number(mean.toFixed(4)), equal]), [[1, 3, 1, false], [2, 3, 3, false], [3, 3, 7.6667, false]]);
  assert.equal(tests, 3);
  assert.deepEqual(differencesAgainst("pods", 0).rows.map(({equal, ci95, p}) => [equal, ci95, p]), [[true, 0, null], [true, 0, null], [true, 0, null]]);
});

test("sweep: the filter of points knows axes, metrics and parts of values", () => {
  open();
  const found = (filter, sort = "") => {
    Object.assign(sweepView, {filter, sort});
    return wantedPoints();
  };
  assert.deepEqual(found(""), [0, 1, 2, 3]);
  assert.deepEqual(found("policy=pack"), [0, 2]);
  assert.deepEqual(found("load>=0.9 policy!=pack"), [3]);
  assert.deepEqual(found("wait_s_mean<4"), [0, 1]);
  assert.deepEqual(found("spr"), [1, 3]);
  assert.deepEqual(found("load="), [0, 1, 2, 3]);
  assert.deepEqual(found("", "-wait_s_mean"), [3, 2, 1, 0]);
  assert.deepEqual(found("", "policy"), [0, 2, 1, 3]);
});

test("sweep: metrics that vary come first", () => {
  open({metrics: [made.sweep().metrics[1], made.sweep().metrics[0]]});
  assert.deepEqual(wantedMetrics(), {shown: ["wait_s_mean", "pods"], all: 2});
  sweepView.names = "POD";
  assert.deepEqual(wantedMetrics(), {shown: ["pods"], all: 1});
});

test("sweep: an axis has one role, and the figures are always over one", () => {
  open();
  setRole("by", "load");
  assert.deepEqual([sweepView.x, sweepView.by], ["policy", "load"]);
  setRole("x", "load");
  assert.deepEqual([sweepView.x, sweepView.by], ["load", "policy"]);
  setRole("panel", "load");
  assert.equal(new Set([sweepView.x, sweepView.by, sweepView.panel]).size, 3);
  assert.equal(sweepHash(), `#metric=wait_s_mean&x=${sweepView.x}&by=${sweepView.by ?? ""}&panel=load`);
});

test("sweep: an axis begins at zero unless that wastes most of it, and ends on a round number", () => {
  assert.deepEqual(roundRange(2, 9), {min: 0, max: 10, interval: 2.5});
  assert.deepEqual(roundRange(98, 99), {min: 98, max: 99, interval: 0.25});
  assert.deepEqual(roundRange(-1, 1), {min: -1, max: 1, interval: 0.5});
  assert.equal(scaleOf([1, 10, 100]), "log");
  assert.equal(scaleOf([1, 2, 3, 4]), "value");
});
