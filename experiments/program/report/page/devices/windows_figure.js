/* How near to each other the pods' devices are, by the time of the pods' start. */

import {lastOf} from "../base/lists.js";
import {duration, number, percent, percent1, plural} from "../base/text.js";
import {colour} from "../base/theme.js";
import {axis, legend, tooltip} from "../figures/look.js";
import {timeTicks} from "../figures/time_axis.js";
import {nearnessKinds, ofPossible} from "./nearness.js";
/** @import {FigureMaker, NumberTip} from "../figures/figure.d.ts" */
/** @import {Run} from "../data.d.ts" */

/** @type {(part: number, of: number) => number | null} */
const share = (part, of) => (of > 0 ? part / of : null);

/** @type {FigureMaker<{run: Run; kind: number}>} */
export function windowsFigure({run, kind: k}) {
  const {from, width, counts} = run.devices?.windows ?? {from: 0, width: 1, counts: []};
  if (counts.length < 2) return null;
  const {title} = nearnessKinds[k];
  const points = counts.map((kinds, i) => {
    const [pods, reached, attainable] = kinds[k];
    const [got, could] = [share(reached, pods), share(attainable, pods)];
    return {from: from + i * width, pods, reached: got, attainable: could, missed: (could ?? 0) - (got ?? 0)};
  });
  const known = points.filter((p) => p.pods > 0);
  if (known.length < 2) return null;
  const missed = known.reduce((a, b) => (b.missed > a.missed ? b : a));
  const step = (/** @type {"reached" | "attainable"} */ field) => [...points.map((p) => [p.from, p[field]]), [from + counts.length * width, lastOf(points)[field]]];
  const line = (/** @type {string} */ name, /** @type {"reached" | "attainable"} */ field, /** @type {object} */ more) => ({name, type: "line", step: "end", symbol: "none", data: step(field), ...more});
  return {
    id: "locality-time",
    title: `By the time of start: ${title}`,
    height: 230,
    summary: `In each ${duration(width)} of start times${run.replications > 1 ? ", over all replications" : ""}. ` + (missed.missed > 0
      ? `Most was missed from ${duration(missed.from)} on: ${ofPossible(missed)}, ${plural(missed.pods, "pod")}.` : "No pod missed what was possible."),
    columns: [{title: "from", number: true}, {title: "pods", number: true}, {title, number: true}, {title: "possible", number: true}],
    rows: () => points.map((p) => [duration(p.from), number(p.pods), percent1(p.reached), percent1(p.attainable)]),
    option: () => ({
      legend: legend({top: 0, left: 0, data: ["reached", "possible"]}),
      grid: {outerBoundsMode: "none", left: 48, right: 14, top: 30, bottom: 26},
      tooltip: tooltip({trigger: "axis", formatter: (/** @type {NumberTip[]} */ list) => {
        const p = points[Math.min(list[0].dataIndex, points.length - 1)];
        return `<b>${duration(p.from)} to ${duration(p.from + width)}</b><br>${p.pods === 0 ? "no pod started" : `${ofPossible(p)} of ${plural(p.pods, "pod")}`}`;
      }}),
      xAxis: axis({type: "value", min: from, max: from + counts.length * width, splitLine: {show: false},
        axisLabel: {formatter: (v) => duration(v), alignMaxLabel: "right"}, ...timeTicks(1.5 * counts.length * width)}),
      yAxis: axis({type: "value", min: 0, max: 1, interval: 0.25, axisLine: {show: false, onZero: false}, axisLabel: {formatter: (v) => percent(v)}}),
      series: [line("possible", "attainable", {itemStyle: {color: colour("busy-some")}, lineStyle: {width: 1.5, color: colour("busy-some")},
        areaStyle: {color: colour("busy-some"), opacity: 0.35}}),
      line("reached", "reached", {itemStyle: {color: colour("busy-full")}, lineStyle: {width: 2, color: colour("busy-full")},
        areaStyle: {color: colour("busy-full"), opacity: 0.3}})],
    }),
  };
}
