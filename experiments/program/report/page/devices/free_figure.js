/* Free GPUs, and those on broken islands. */

import {lastOf} from "../base/lists.js";
import {duration, number, percent1} from "../base/text.js";
import {colour} from "../base/theme.js";
import {axis, legend, tooltip} from "../figures/look.js";
import {timeAxes} from "../figures/time_axis.js";
/** @import {FigureMaker, PairTip} from "../figures/figure.d.ts" */
/** @import {Run} from "../data.d.ts" */

/** @type {FigureMaker<Run>} */
export function freeFigure(run) {
  const free = run.devices?.free;
  if (!free) return null;
  const last = lastOf(free.time);
  const line = (/** @type {string} */ name, /** @type {number[]} */ values, /** @type {string} */ hue) => ({name, type: "line", step: "end", symbol: "none", itemStyle: {color: hue}, lineStyle: {color: hue, width: 1.5},
    areaStyle: {color: hue, opacity: 0.25}, data: free.time.map((t, i) => [t, values[i]])});
  const metric = run.metrics.find((m) => m.name === "free_gpus_broken");
  return {
    id: "locality-free",
    title: "Free GPUs, and those of broken islands",
    renderer: "canvas",
    height: 270,
    summary: (metric?.mean == null ? "" : `Over time, ${percent1(metric.mean)} of the free GPUs were on an NVLink island (where there is none: a NUMA node) ` +
      "of which another GPU was in use. ") + `Replication 0, ${free.sampled ? "as sampled" : "counted from its pods"}.`,
    columns: [{title: "time", number: true}, {title: "free", number: true}, {title: "of broken islands", number: true}],
    rows: () => free.time.map((t, i) => [duration(t), number(free.all[i]), number(free.broken[i])]),
    option: () => ({
      legend: legend({top: 0, left: 0, data: ["free", "of broken islands"]}),
      grid: {outerBoundsMode: "none", left: 48, right: 30, top: 30, bottom: 64},
      tooltip: tooltip({trigger: "axis", formatter: (/** @type {PairTip[]} */ list) => `<b>${duration(list[0].value[0])}</b><br>` +
        list.map((p) => `${p.marker}${p.seriesName}: ${number(p.value[1])}`).join("<br>")}),
      ...timeAxes(free.time[0], last),
      yAxis: axis({type: "value", min: 0, minInterval: 1, axisLine: {show: false, onZero: false}}),
      series: [line("free", free.all, colour("bar")), line("of broken islands", free.broken, colour("group"))],
    }),
  };
}
