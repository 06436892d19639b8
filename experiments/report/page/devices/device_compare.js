/* The allocators of several runs side by side: what pods got, and how far that is from the exact solver's. */

import {el} from "../base/dom.js";
import {data, runNames} from "../base/state.js";
import {table} from "../base/table.js";
import {duration, percent1, plural} from "../base/text.js";
import {nearnessKinds, ofPossible} from "./nearness.js";
import {nearnessBars} from "./nearness_bars.js";

/** Columns: `share` ones are percents; `least` where less is better; `value` of a run's metrics by name. */
const deviceColumns = [
  {title: "acceptance", help: "pods that ran, finished or not, of all that were submitted", share: true,
    value: (m) => (m("pods_submitted")?.mean > 0 ? {reached: ((m("pods_finished")?.mean ?? 0) + (m("pods_running")?.mean ?? 0)) / m("pods_submitted").mean} : null)},
  ...[[1, "NVLink"], [2, "NUMA"], [0, "PCIe"], [3, "NIC beside"]].map(([k, short]) => ({
    title: short, help: `${nearnessKinds[k].title}: reached of possible`, panel: nearnessKinds[k].title, share: true,
    value: (m) => {
      const {metric} = nearnessKinds[k];
      const [reached, attainable] = [m(metric), m(`${metric}_attainable`)];
      return reached?.mean == null ? null : {reached: reached.mean, attainable: attainable?.mean ?? null, ci95: reached.ci95};
    }})),
  {title: "broken", help: "free GPUs on NVLink islands, or NUMA nodes, of which not every GPU is free, over time", panel: "free GPUs, broken", share: true, least: true,
    value: (m) => (m("free_gpus_broken")?.mean == null ? null : {reached: m("free_gpus_broken").mean, ci95: m("free_gpus_broken").ci95})},
  {title: "mean wait", least: true, value: (m) => (m("wait_s_mean")?.mean == null ? null : {reached: m("wait_s_mean").mean})},
  {title: "p95 wait", least: true, value: (m) => (m("wait_s_p95")?.mean == null ? null : {reached: m("wait_s_p95").mean})},
];

/** The difference to the exact partner, or to the best of all runs where there is none. */
function deltaOf(column, rows, row, i) {
  const value = row.values[i];
  if (value == null) return null;
  const known = rows.map((other) => other.values[i]?.reached).filter((v) => v != null);
  const partner = row.partner == null ? null : rows.find(({index}) => index === row.partner)?.values[i]?.reached;
  const against = partner ?? (column.least ? Math.min(...known) : Math.max(...known));
  return value.reached - against;
}

function deltaText(column, delta) {
  const sign = delta > 0 ? "+" : delta < 0 ? "−" : "±";
  if (!column.share) return `${sign}${duration(Math.abs(Number(delta.toPrecision(3))))}`;
  return `${sign}${(100 * Math.abs(delta)).toFixed(1)} points`;
}

function deltaCell(column, rows, row, i) {
  const value = row.values[i];
  if (value == null) return "–";
  const text = column.share ? ofPossible(value) : duration(Number(value.reached.toPrecision(3)));
  const delta = deltaOf(column, rows, row, i);
  const small = column.share ? Math.abs(delta) < 0.0005 : Math.abs(delta) < 0.05;
  const kind = small ? "" : (delta < 0) === Boolean(column.least) ? " better" : " worse";
  return el("span", {}, text, el("span", {class: `delta${kind}`}, small ? "same" : deltaText(column, delta)));
}

export function deviceCompareSection() {
  const rows = data.runs.map((run, index) => {
    const metric = (name) => run.metrics.find((m) => m.name === name);
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
    el("div", {class: "below"}, nearnessBars({
      id: "device-compare",
      title: "Reached and possible",
      rows: bars,
      panels,
      summary: rows.map((row, r) => `${bars[r].label}: ${panels.map(({title, i}) => `${title} ${ofPossible(row.values[i])}`).join(", ")}`).join("; ") + ".",
      caption: "Narrow bars: reached. Wide ones: possible with the devices that were free. Of broken free GPUs, fewer are better.",
      columns: [{title: "run", class: "name"}, ...panels.flatMap(({title}) => [{title, number: true}, {title: "possible", number: true}])],
      cells: (row) => [row.label, ...row.values.flatMap((v) => [percent1(v?.reached), percent1(v?.attainable)])],
    })),
  ];
}
