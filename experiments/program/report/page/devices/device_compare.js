/* The allocators of several runs side by side: what pods got, and how far that is from the exact
   solver. */

import {el} from "../base/dom.js";
import {data, runNames} from "../base/state.js";
import {table} from "../base/table.js";
import {duration, plural} from "../base/text.js";
import {shownFigure} from "../figures/show.js";
import {deviceRunsFigure} from "./device_runs_figure.js";
import {nearnessKinds, ofPossible} from "./nearness.js";
/** @import {DeviceColumn, DeviceRow} from "./devices.d.ts" */
/** @import {Made} from "../base/page.d.ts" */
/** @import {Metric} from "../data.d.ts" */

/** @param {Metric | undefined} metric */
const reachedMean = (metric) => (metric?.mean == null ? null : {reached: metric.mean, ci95: metric.ci95});

/**
 * The share of pods with one kind of nearness, and the share that could have had it.
 * @type {(kind: number, title: string) => DeviceColumn}
 */
function nearnessColumn(kind, title) {
  const {title: panel, metric} = nearnessKinds[kind];
  return {title, help: `${panel}: reached of possible`, panel, share: true, value: (m) => {
    const reached = reachedMean(m(metric));
    return reached && {...reached, attainable: m(`${metric}_attainable`)?.mean ?? null};
  }};
}

/**
 * The columns of the comparison.
 * @type {DeviceColumn[]}
 */
const deviceColumns = [
  {title: "acceptance", help: "pods that ran, finished or not, of all that were submitted", share: true, value: (m) => {
    const submitted = m("pods_submitted")?.mean;
    return submitted ? {reached: ((m("pods_finished")?.mean ?? 0) + (m("pods_running")?.mean ?? 0)) / submitted} : null;
  }},
  nearnessColumn(1, "NVLink"), nearnessColumn(2, "NUMA"), nearnessColumn(0, "PCIe"), nearnessColumn(3, "NIC beside"),
  {title: "broken", help: "free GPUs on NVLink islands, or NUMA nodes, of which not every GPU is free, over time", panel: "free GPUs, broken", share: true, least: true,
    value: (m) => reachedMean(m("free_gpus_broken"))},
  {title: "mean wait", least: true, value: (m) => reachedMean(m("wait_s_mean"))},
  {title: "p95 wait", least: true, value: (m) => reachedMean(m("wait_s_p95"))},
];

/**
 * The difference to the exact partner or, if there is none, to the best of all runs.
 * @type {(column: DeviceColumn, rows: DeviceRow[], row: DeviceRow, i: number) => number | null}
 */
function deltaOf(column, rows, row, i) {
  const value = row.values[i];
  if (value?.reached == null) return null;
  const known = rows.flatMap((other) => other.values[i]?.reached ?? []);
  const partner = row.partner == null ? null : rows.find(({index}) => index === row.partner)?.values[i]?.reached;
  const against = partner ?? (column.least ? Math.min(...known) : Math.max(...known));
  return value.reached - against;
}

/** @type {(column: DeviceColumn, delta: number) => string} */
function deltaText(column, delta) {
  const sign = delta > 0 ? "+" : delta < 0 ? "−" : "±";
  if (!column.share) return `${sign}${duration(Math.abs(Number(delta.toPrecision(3))))}`;
  return `${sign}${(100 * Math.abs(delta)).toFixed(1)} points`;
}

/**
 * @param {DeviceColumn} column
 * @param {DeviceRow[]} rows
 * @param {DeviceRow} row
 * @param {number} i
 */
function deltaCell(column, rows, row, i) {
  const value = row.values[i];
  const delta = deltaOf(column, rows, row, i);
  if (value?.reached == null || delta === null) return "–";
  const text = column.share ? ofPossible(value) : duration(Number(value.reached.toPrecision(3)));
  const small = column.share ? Math.abs(delta) < 0.0005 : Math.abs(delta) < 0.05;
  const kind = small ? "" : (delta < 0) === Boolean(column.least) ? " better" : " worse";
  return el("span", {}, text, el("span", {class: `delta${kind}`}, small ? "same" : deltaText(column, delta)));
}

/** @returns {Made} */
export function deviceCompareSection() {
  const rows = data.runs.map((run, index) => {
    const metric = (/** @type {string} */ name) => run.metrics.find((m) => m.name === name);
    return {index, run, label: runNames[index], partner: run.exactRun, 
      there: metric("pods_with_devices_together") != null, values: deviceColumns.map((column) => column.value(metric))};
  }).filter((row) => row.there);
  if (rows.length < 2) return null;
  const shown = deviceColumns.map((column, i) => ({column, i})).filter(({i}) => rows.some((row) => row.values[i] != null));
  const panels = shown.filter(({column}) => column.share).map(({column, i}) => ({title: column.panel ?? column.title, i}));
  const directories = new Set(rows.map(({run}) => run.directory)).size === rows.length;
  const bars = rows.map((row) => ({...row, label: directories ? row.run.directory : row.label, values: panels.map(({i}) => row.values[i])}));
  const partnered = rows.some((row) => row.partner != null);
  return [
    el("p", {class: "lead"}, `${plural(rows.length, "run")} with GPUs inside servers. A figure such as 62% of 66% is what pods got and what they could have ` +
      "got with the devices that were free then. Below it, the difference to " + (partnered
      ? "the run that is the same but for the exact solver, or to the best run where there is none." : "the best run: none is the same but for the exact solver.")),
    table([{title: "run", class: "name"}, {title: "allocator"}, ...shown.map(({column}) => ({title: column.title, number: true}))],
      rows.map((row) => [el("span", {}, row.run.experiment, el("span", {class: "delta"}, row.run.directory)),
        el("span", {}, row.run.allocator ?? "–", el("span", {class: "delta"}, row.partner == null ? "against the best" : `against ${data.runs[row.partner].directory}`)),
        ...shown.map(({column, i}) => deltaCell(column, rows, row, i))]), {label: "GPU allocation by run"}),
    el("div", {class: "below"}, shownFigure(deviceRunsFigure, {bars, panels})),
  ];
}
