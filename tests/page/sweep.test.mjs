// The numbers of a sweep: averages over points, tests between them, the address, and the filter of
// its points.

import assert from "node:assert/strict";
import test from "node:test";
import {data, takeData} from "../../experiments/program/report/page/base/state.js";
import {differencesAgainst} from "../../experiments/program/report/page/sweep/differences.js";
import {measured} from "../../experiments/program/report/page/base/text.js";
import {roundRange, scaleOf} from "../../experiments/program/report/page/sweep/line_look.js";
import {wantedMetrics, wantedPoints} from "../../experiments/program/report/page/sweep/point_filter.js";
import {sweepCells, sweepMeansOf} from "../../experiments/program/report/page/sweep/sweep_data.js";
import {setRole, sweepHash, sweepView} from "../../experiments/program/report/page/sweep/sweep_view.js";
import {readTarget, targetLines} from "../../experiments/program/report/page/sweep/target.js";
import * as made from "./data.mjs";

const open = (change = {}) => {
  takeData(made.page({sweep: {...made.sweep(), ...change}}));
  Object.assign(sweepView, {metric: "wait_s_mean", x: "load", by: "policy", panel: null, where: {}, filter: "", sort: "", page: 0, names: "", scales: "", against: 0, target: ""});
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
  const values = [1, 2, NaN, 2, 3, 4, NaN, NaN, NaN, 8, 9, 12];
  open({metrics: [{name: "wait_s_mean", values: made.floats(values)}]});
  assert.deepEqual(sweepCells(view()).map(({mean, points, n}) => [mean, points, n]), [[2, 2, 2], [9.66667, 1, 3]]);
  assert.equal(sweepMeansOf("wait_s_mean")[2], null);
});

test("sweep: of sums of replications there are means, and no quartiles over several points", () => {
  const summary = [[3, 2, 1, 0.5, 1, 1.5, 2, 2.5, 3], [3, 4, 3, 0.5, 3, 3.5, 4, 4.5, 5], [0, ...Array(8).fill(NaN)], [3, 8, NaN, 1, 7, 7.5, 8, 8.5, 9]];
  open({metrics: [{name: "wait_s_mean", summed: true, values: made.floats(summary.flat())}]});
  const [low, high] = sweepCells(view());
  assert.deepEqual([low.mean, low.ci95, low.median, low.points], [3, 2, null, 2]);
  assert.deepEqual([high.mean, high.ci95, high.median, high.points], [8, null, 8, 1]);
});

test("sweep: one number in the place of a column holds at all finished points", () => {
  open({unfinished: [3]});
  assert.deepEqual(sweepMeansOf("pods").map((mean) => mean?.mean ?? null), [10, 10, 10, null]);
});

test("sweep: differences and verdicts are those that the program wrote", () => {
  open();
  assert.deepEqual(differencesAgainst("wait_s_mean", 0), [
    {point: 1, metric: "wait_s_mean", difference: 1, ci95: 0.5, p_holm: Math.fround(0.01), verdict: "worse"},
    {point: 2, metric: "wait_s_mean", difference: 3, ci95: 0, p_holm: 0, verdict: "no difference shown"},
    {point: 3, metric: "wait_s_mean", difference: 7.5, ci95: null, p_holm: null, verdict: "too few pairs"}]);
  assert.deepEqual(differencesAgainst("wait_s_mean", 1).map(({point, difference, verdict}) => [point, difference, verdict]), [[0, -1, "better"]]);
  assert.deepEqual(differencesAgainst("wait_s_mean", 3), []);  // not a baseline of this page
  assert.deepEqual(differencesAgainst("pods", 0), []);
});

/**
 * Points by number of racks and by gap between jobs: three replications with waits of
 * `means[point]` seconds, plus or minus `spread`.
 */
function openRacks(means, spread = 1) {
  const points = means.map((_, p) => p);
  open({metrics: [{name: "job_wait_s_p95", values: made.floats(means.flatMap((mean) => [mean - spread, mean, mean + spread]))}],
    axes: [{name: "racks", values: ["6", "7", "8"], numbers: [6, 7, 8], given: false, points: points.map((p) => p % 3)},
      {name: "every", values: means.length > 3 ? ["7m", "8m"] : ["7m"], numbers: means.length > 3 ? [420, 480] : [420], given: true, points: points.map((p) => Math.floor(p / 3))}],
    keys: points.map(String)});
  sweepView.metric = "job_wait_s_p95";
  data.definitions.job_wait_s_p95 = {part: "", unit: "s", meaning: ""};
}
const said = (text) => targetLines(readTarget(text), text);

test("sweep: a target says from which value on it is met, for each load", () => {
  openRacks([900, 500, 100, 400, 300, 200]);
  assert.deepEqual(said("job_wait_s_p95<=10m"), ["every 7m: from racks 7 on.", "every 8m: at all 3 values of racks."]);
  assert.deepEqual(said("job_wait_s_p95 <= 4m"), ["every 7m: from racks 8 on.", "every 8m: from racks 8 on."]);
  assert.deepEqual(said("job_wait_s_p95>=450"), ["every 7m: up to racks 7.", "every 8m: nowhere."]);
  openRacks([100, 900, 100]);
  assert.deepEqual(said("job_wait_s_p95<=200"), ["At racks 6, 8."]);
});

test("sweep: the worse end of an interval has to meet a target", () => {
  openRacks([90, 90, 90], 10);  // ± 24.8
  assert.match(said("job_wait_s_p95<=110")[0], /^No point meets job_wait_s_p95<=110: the nearest is 90 ± 25 s with racks 6\. Add values/);
  assert.deepEqual(said("job_wait_s_p95<=115"), ["At all 3 values of racks."]);
  assert.match(said("job_wait_s_p95>=66")[0], /^No point meets/);
});

test("sweep: a wrong target says what is wrong", () => {
  openRacks([90, 90, 90]);
  for (const text of ["", "job_wait_s_p95", "job_wait_s_p95=10m", "<=10m", "job_wait_s_p95<10m"]) assert.match(readTarget(text), /^Write METRIC<=VALUE/, text);
  assert.match(readTarget("job_wait_p95<=10m"), /^job_wait_p95 is no metric of this page/);
  assert.match(readTarget("job_wait_s_p95<=10x"), /^“10x” is no value/);
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

test("sweep: durations and amounts are filtered as numbers", () => {
  openRacks([1, 2, 3, 4, 5, 6]);
  sweepView.sort = "";
  sweepView.filter = "every>=480s";
  assert.deepEqual(wantedPoints(), [3, 4, 5]);
  sweepView.filter = "every<8m";
  assert.deepEqual(wantedPoints(), [0, 1, 2]);
  assert.equal(measured("1h30m", "s"), 5400);
  assert.equal(measured("95%", "share"), 0.95);
  assert.equal(measured("95%", "%"), 95);
  assert.equal(measured("64Gi", ""), 64 * 2 ** 30);
  for (const text of ["", "m", "10x", "1h30", "%"]) assert.ok(Number.isNaN(measured(text, "s")), text);
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
