/* Mean waits by quota in several runs. */

import {duration, markup, number, plural} from "../base/text.js";
import {colour} from "../base/theme.js";
import {palette} from "../figures/colours.js";
import {axis, legend, nameLabels, tooltip} from "../figures/look.js";
import {timeTicks} from "../figures/time_axis.js";
/** @import {FigureMaker, TipPoint} from "../figures/figure.d.ts" */
/** @import {QuotaWaits} from "./quotas.d.ts" */
/** @import {Value} from "../data.d.ts" */

/**
 * The bars of the runs side by side, for the quotas that wait the longest.
 * @type {FigureMaker<QuotaWaits>}
 */
export function waitsFigure({runs, known, longest, noun}) {
  const shown = known.slice(0, 12);
  // In how many quotas each run has the shortest wait of all runs.
  const lower = runs.map((run) => known.filter((name) => {
    const own = run.mean(name);
    return runs.every((other) => {
      const wait = other.mean(name);
      return other === run || (own != null && wait != null && own < wait);
    });
  }).length);
  return {
    id: "quota-waits",
    title: noun === "quota" ? "Mean wait by quota" : `Mean wait for quota by ${noun}`,
    height: 70 + shown.length * (12 + 13 * runs.length),
    summary: runs.map((run, k) => `${run.label} has the shortest wait in ${number(lower[k])} of ${plural(known.length, noun)}`).join("; ") +
      (known.length > shown.length ? `. The chart shows the ${shown.length} with the longest.` : "."),
    columns: [{title: noun, class: "name"}, ...runs.map((run) => ({title: run.label, number: true}))],
    rows: () => known.map((name) => [name, ...runs.map((run) => {
      const wait = run.mean(name);
      return wait == null ? "–" : duration(wait);
    })]),
    option: (width) => ({
      legend: legend({type: "scroll", top: 0, left: 0, right: 0, itemGap: 18, data: runs.map((run) => run.label)}),
      grid: {outerBoundsMode: "none", left: Math.min(width * 0.34, 14 + 7.4 * Math.max(...shown.map((name) => name.length))), right: 40, top: 34, bottom: 30},
      tooltip: tooltip({trigger: "axis", axisPointer: {type: "shadow", shadowStyle: {color: colour("muted"), opacity: 0.12}},
        formatter: (/** @type {TipPoint<Value, unknown>[]} */ list) => `<b>${markup(list[0].name)}</b><table class="tip">` + list.map((p) =>
          `<tr><td>${p.marker}${markup(p.seriesName)}</td><td class="number">${p.value == null ? "–" : duration(p.value)}</td></tr>`).join("") + "</table>"}),
      xAxis: axis({type: "value", axisLabel: {formatter: (v) => duration(v)}, ...timeTicks(2 * longest(shown[0]))}),
      yAxis: axis({type: "category", inverse: true, data: shown, splitLine: {show: false}, axisLine: {show: false},
        axisLabel: nameLabels(width * 0.32, {color: colour("ink")})}),
      series: runs.map((run, k) => ({name: run.label, type: "bar", barMaxWidth: 14, barGap: "10%", itemStyle: {color: palette()[k % 7]},
        data: shown.map(run.mean)})),
    }),
  };
}
