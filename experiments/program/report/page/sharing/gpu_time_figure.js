/* The uses of GPU time: a bar for each run. */

import {markup, percent, percent1} from "../base/text.js";
import {colour} from "../base/theme.js";
import {axis, legend, legendRows, nameLabels, tooltip} from "../figures/look.js";
/** @import {FigureMaker, NumberTip} from "../figures/figure.d.ts" */
/** @import {Run} from "../data.d.ts" */

/**
 * Each use of GPU time has a fixed colour, whatever other uses a run has: blue is allocated time,
 * grey is time without demand.
 * @type {Record<string, string>}
 */
const gpuTimeColours = {allocated: "bar", no_demand: "pod-6", quota: "series-4", gang_waiting: "series-3", split: "series-6", nic_mismatch: "pod-9",
  cpu_or_memory: "series-5", model_mismatch: "pod-8", fragmented: "series-2", scheduler: "series-7", failed: "fails",
  redone: "pod-1", checkpoint: "pod-2", restart: "pod-3", hung: "pod-4", drained: "pod-5", spare: "pod-7"};

/** @param {string} name */
const gpuTimeColour = (name) => colour(gpuTimeColours[name.replace(/^gpu_time_(idle_)?/, "")] ?? "muted");

/**
 * The uses of GPU time: a bar for each run.
 * @type {FigureMaker<{all: Run[]; allNames: string[]}>}
 */
export function gpuTimeFigure({all, allNames}) {
  const share = (/** @type {Run} */ run, /** @type {string} */ name) => run.metrics.find((m) => m.name === name)?.mean;
  const runs = all.map((run, i) => ({run, name: allNames[i]})).filter(({run}) => share(run, "gpu_time_allocated") != null);
  if (runs.length === 0) return null;
  const names = [...new Set(runs.flatMap(({run}) => run.metrics.map((m) => m.name)))].filter((name) => name.startsWith("gpu_time_"))
    .filter((name) => runs.some(({run}) => (share(run, name) ?? 0) > 0.0005));
  const text = (/** @type {string} */ name) => name.replace(/^gpu_time_idle_/, "idle: ").replace(/^gpu_time_/, "").replaceAll("_", " ");
  return {
    id: "gpu-time",
    title: "Where the GPU time went",
    height: (width) => 48 + 22 * legendRows(names.map(text), width) + 30 * runs.length,
    summary: runs.map(({run, name}) => `${name}: ` + names.map((n) => `${text(n)} ${percent1(share(run, n) ?? 0)}`).join(", ")).join("; ") + ".",
    columns: [{title: "run"}, ...names.map((n) => ({title: text(n), number: true}))],
    rows: () => runs.map(({run, name}) => [name, ...names.map((n) => percent1(share(run, n) ?? 0))]),
    option: (width) => ({
      legend: legend({top: 0, left: 0, right: 0, data: names.map(text)}),
      grid: {outerBoundsMode: "none", left: Math.min(width * 0.35, 20 + 7 * Math.max(...runs.map(({name}) => name.length))), right: 34, top: 18 + 22 * legendRows(names.map(text), width), bottom: 24},
      tooltip: tooltip({trigger: "item", formatter: (/** @type {NumberTip} */ p) => `${markup(p.seriesName)}<br><b>${percent1(p.value)}</b>`}),
      xAxis: axis({type: "value", min: 0, max: 1, axisLabel: {formatter: (v) => percent(v)}}),
      yAxis: axis({type: "category", inverse: true, data: runs.map(({name}) => name), splitLine: {show: false}, axisLabel: nameLabels(width * 0.33, {color: colour("ink")})}),
      series: names.map((n) => ({name: text(n), type: "bar", stack: "time", barMaxWidth: 18,
        itemStyle: {color: gpuTimeColour(n)}, data: runs.map(({run}) => share(run, n) ?? 0)})),
    }),
  };
}
