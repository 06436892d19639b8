/* The use and the number of waiting pods over a run's time, for its first screen. */

import {lastOf} from "../base/lists.js";
import {duration, markup, number, percent} from "../base/text.js";
import {colour} from "../base/theme.js";
import {axis, tooltip} from "../figures/look.js";
import {timeTicks} from "../figures/time_axis.js";
import {rangeSeries, windowMark} from "./series_figure.js";
/** @import {FigureMaker, PairTip} from "../figures/figure.d.ts" */
/** @import {Run} from "../data.d.ts" */

/** @param {string} column */
const nameOf = (column) => (column === "pods_waiting" ? "Pods waiting"
  : `${column.replace(/_utilization$/, "").replace(/^.*gpu.*$/, "GPUs").replace(/^cpu$/, "CPUs")} in use`);

/**
 * The use of the paid resource and, if pods wait, the queue below it.
 * @type {FigureMaker<Run>}
 */
export function courseFigure(run) {
  const {course} = run;
  if (!course) return null;
  const {time, values} = course.band ? {time: course.band.time, values: course.band.mean} : course.runs[0];
  const last = lastOf(time);
  const shown = course.columns.map((column, c) => ({c, name: nameOf(column), share: column !== "pods_waiting",
    most: Math.max(0, ...(course.band?.high ?? values)[c].map(Number))})).filter(({most, share}) => share || most > 0).reverse();
  const show = (/** @type {boolean} */ share, /** @type {number} */ v) => (share ? percent(v) : number(Number(v.toPrecision(3))));
  const each = 74;
  const top = (/** @type {number} */ g) => 24 + g * (each + 30);
  return {
    id: "course",
    height: top(shown.length),
    summary: shown.map(({name, share, most}) => `${name}: up to ${show(share, most)}`).join(". ") + ", as means over short times." +
      (course.band ? ` Lines are means of ${course.count} replications, shades their range.` : "") +
      (run.window ? " What the numbers above leave out is grey." : ""),
    columns: [{title: "time", number: true}, ...shown.map(({name}) => ({title: name, number: true}))],
    rows: () => time.map((t, i) => [duration(t), ...shown.map(({c, share}) => show(share, Number(values[c][i])))]),
    option: (width) => ({
      title: shown.map(({name}, g) => ({text: name, left: 0, top: top(g) - 23, padding: 2, textStyle: {fontSize: 13, fontWeight: 600, color: colour("ink")}})),
      grid: shown.map((_, g) => ({outerBoundsMode: "none", left: 44, right: 16, top: top(g), height: each})),
      axisPointer: {link: [{xAxisIndex: "all"}]},
      tooltip: tooltip({trigger: "axis", formatter: (/** @type {PairTip[]} */ list) => `<b>${duration(list[0].value[0])}</b><table class="tip">` +
        list.flatMap((p) => shown.filter(({name}) => name === p.seriesName && p.componentSubType === "line")
          .map(({name, share}) => `<tr><td>${markup(name)}</td><td class="number">${show(share, p.value[1])}</td></tr>`)).join("") + "</table>"}),
      xAxis: shown.map((_, g) => axis({type: "value", gridIndex: g, min: 0, max: last, splitLine: {show: false},
        axisLabel: {show: g === shown.length - 1, formatter: (v) => duration(v), alignMaxLabel: "right"}, ...timeTicks(last * Math.max(1, 900 / width))})),
      yAxis: shown.map(({share, most}, g) => axis({type: "value", gridIndex: g, min: 0, ...(share ? {max: Math.max(1, most), interval: 0.5} : {splitNumber: 2, minInterval: 1}),
        axisLine: {show: false, onZero: false}, axisLabel: {formatter: (v) => show(share, v)}})),
      series: [
        ...shown.flatMap((_, g) => windowMark(run, g, last, false) ?? []),
        ...shown.map(({c, name, share}, g) => ({name, type: "line", xAxisIndex: g, yAxisIndex: g, step: "end", showSymbol: false, symbol: "none",
          lineStyle: {width: 1.4, color: colour(share ? "series-1" : "series-2")}, itemStyle: {color: colour(share ? "series-1" : "series-2")},
          areaStyle: course.band ? undefined : {color: colour(share ? "series-1" : "series-2"), opacity: 0.12},
          data: time.map((t, i) => [t, values[c][i]])})),
        ...(course.band ? shown.flatMap(({c, name, share}, g) => (course.band ? rangeSeries(course.band, c, g, colour(share ? "series-1" : "series-2"), name) : [])) : []),
      ],
    }),
  };
}
