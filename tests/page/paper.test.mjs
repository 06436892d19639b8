// Figures on paper: the sheet of each figure of `berth plot`, as SVG.

import assert from "node:assert/strict";
import test from "node:test";
import {takeData} from "../../experiments/program/report/page/base/state.js";
import {textWidth, useMetric} from "../../experiments/program/report/page/paper/metric.js";
import {drawnSheet} from "../../experiments/program/report/page/paper/sheet.js";
import {sheetOf} from "../../experiments/program/report/page/paper/sheets.js";
import {still} from "../../experiments/program/report/page/paper/still.js";
import * as made from "./data.mjs";
import {useStyle} from "./theme.mjs";

useStyle();
useMetric();

/** The SVG of a figure of some runs or of a sweep. */
function drawn(figure, {runs = [], sweep, ...given}) {
  takeData(made.page({runs: runs.map(made.run), ...(sweep ? {sweep} : {})}));
  return drawnSheet(sheetOf(figure, {names: runs.map((_, i) => `run ${i}`), ...given}));
}

/** The texts of an SVG, in their order. */
const textsOf = (svg) => [...svg.matchAll(/<text[^>]*>([^<]*)</g)].map(([, text]) => text);

const packed = (series) => ({columns: series.columns, count: series.count, runs: series.runs.map(({replication, time, values}) => ({replication, rows: time.length,
  points: time.length, time: {values: made.packed(time)}, values: values.map((column) => ({per: 100, values: made.packed(column.map((v) => Math.round(100 * v)))}))}))});
const view = {metric: "wait_s_mean", x: "load", by: "policy", panel: null, where: {}};
const cell = (x, by, mean) => ({x, by, panel: 0, points: 1, n: 3, mean, ci95: 0.5, sd: 1, min: mean - 1, q1: mean - 0.5, median: mean, q3: mean + 0.5, max: mean + 1});
const cells = [cell(0, 0, 2), cell(0, 1, 3), cell(1, 0, 5), cell(1, 1, 9)];
const ofSweep = {sweep: made.sweep(), view, cells, notes: ["means", "averaged over size (2 values)"]};
const distributions = [made.distribution(3), made.distribution(9)];

/** For each figure, its data and some of the texts that must be in its picture. */
const figures = {
  "cluster": [{runs: [{cluster: made.cluster()}], resources: [0]}, ["rack", "gpu: each server, from idle to full"]],
  "comparison": [{runs: [{}, {}], distributions}, ["run 0", "run 1", "wait_s_mean"]],
  "distribution": [{runs: [{}, {}], distributions}, ["run 0: mean 2.50 ± 0.50 s, n = 8", "run 1: mean 2.50 ± 0.50 s, n = 14", "replications", "wait_s_mean"]],
  "fragment-classes": [{runs: [{arrival: made.arrival()}], range: [0, 100]}, ["usable by typical pods", "100%"]],
  "fragmentation": [{runs: [{arrival: {...made.arrival(), fragments: made.arrival().ratio}}], range: [0, 100]}, ["Fragments, % of all GPUs", "run 0"]],
  "gantt": [{runs: [{gantt: made.gantt()}], window: [0, null]}, ["a", "b", "team", "no quota"]],
  "gpu-time": [{runs: [{metrics: [made.metric("gpu_time_allocated", 0.6)]}]}, ["allocated", "run 0"]],
  "jct-cdf": [{runs: [{cumulatives: [{...made.cumulative(), name: "jct_s"}]}]}, ["completion time (logarithmic)"]],
  "levels": [{runs: [{cluster: made.cluster()}], resources: [0]}, ["By rack: gpu in use", "Servers by the number of pods on them"]],
  "locality": [{runs: [{devices: made.devices()}], kind: "numa"}, ["one NUMA node", "2 GPUs"]],
  "mttf": [{runs: [{failures: made.failures()}]}, ["GPUs of a job", "run 0"]],
  "outages": [{runs: [{failures: made.failures()}]}, ["Up and down, by rack", "jobs lost places"]],
  "quota-areas": [{runs: [{quotas: made.quotas()}], chosen: [{chosen: 0, resource: 0}]}, ["lender", "borrower", "pale: beyond the min"]],
  "quotas": [{runs: [{quotas: made.quotas()}, {quotas: made.quotas(5)}], chosen: Array(2).fill({chosen: 2, resource: 0})}, ["run 0: borrower: gpu", "run 1: borrower: gpu", "evictions"]],
  "scaling": [{lines: [made.benchmark("cycle", 2e-6)]}, ["Median time of one unit: a pod", "1 000 000", "1 µs", "servers"]],
  "starts": [{starts: [{name: "first", start: made.starts()}], changes: [{name: "as it is", start: made.starts()}]},
    ["When they start", "first", "10 to 90 %", "What would change it", "as it is"]],
  "timeseries": [{runs: [{series: packed(made.series())}, {series: packed(made.series(1))}], metrics: ["pods_waiting"]}, ["pods_waiting", "run 1"]],
  "unallocated": [{runs: [{arrival: made.arrival()}], range: [0, 100]}, ["GPUs that have arrived, % of the cluster"]],
  "wait-cdf": [{runs: [{cumulatives: [made.cumulative()]}]}, ["wait (logarithmic)", "50%"]],
  "heat-map": [ofSweep, ["pack", "spread", "0.9", "means; averaged over size (2 values)"]],
  "lines": [ofSweep, ["pack", "spread", "0.9"]],
  "small-multiples": [{...ofSweep, view: {...view, by: null, panel: "policy"}}, ["policy pack"]],
  "sweep-distributions": [ofSweep, ["pack", "spread", "0.9"]],
};

for (const [figure, [given, texts]] of Object.entries(figures)) {
  test(`paper: ${figure} draws its names and numbers, and twice the same bytes`, () => {
    const svg = drawn(figure, given);
    for (const text of texts) assert.ok(textsOf(svg).includes(text), `“${text}” is not among ${textsOf(svg).join(" | ")}`);
    assert.doesNotMatch(svg, /undefined|NaN|Infinity|:hover/);
    assert.match(svg, /^<\?xml version="1.0" encoding="utf-8"\?>\n<svg xmlns="[^"]*" width="(360|504)pt" height="[\d.]+pt" viewBox="0 0 (540|756) \d+">/);
    assert.equal(drawn(figure, given), svg);
  });
}

test("paper: two sheets in one document have no name in common", () => {
  const names = (svg) => [...svg.matchAll(/id="([^"]+)"/g)].map(([, name]) => name);
  const [one, other] = [3, 9].map((count) => drawn("distribution", {runs: [{}], distributions: [made.distribution(count)]}));
  assert.ok(names(one).length > 0);
  assert.deepEqual(names(one).filter((name) => names(other).includes(name)), []);
  for (const [, name] of one.matchAll(/url\(#([^)]+)\)/g)) assert.ok(names(one).includes(name));
});

test("paper: what only moves on the page leaves no room", () => {
  const {option, more} = still({grid: {top: 40, bottom: 64}, dataZoom: [{type: "slider", bottom: 8, height: 22}, {type: "inside"}], tooltip: {}}, 700);
  assert.equal(more, -30);
  assert.equal(option.grid[0].bottom, 34);
  assert.equal(option.dataZoom ?? option.tooltip, undefined);
});

test("paper: what hangs below a legend moves down by its rows", () => {
  const names = Array.from({length: 12}, (_, i) => `a run with a long name ${i}`);
  const {option, more} = still({grid: {top: 32, bottom: 30}, legend: {type: "scroll", data: names}}, 500);
  assert.equal(option.legend.type, "plain");
  assert.ok(more > 40);
  assert.equal(option.grid[0].top, 32 + more);
});

test("paper: widths of texts do not depend on the machine's fonts", () => {
  assert.equal(textWidth("Wait", 10), 10 * (0.99 + 0.61 + 0.28 + 0.39));
  assert.ok(textWidth("Wait", 10, 600) > textWidth("Wait", 10));
});
