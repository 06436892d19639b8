/* What the compared jobs hold over time, in the recording and in the run. */

import {lastOf} from "../base/lists.js";
import {duration, markup, percent} from "../base/text.js";
import {colour} from "../base/theme.js";
import {axis, legend, tooltip} from "../figures/look.js";
import {timeTicks} from "../figures/time_axis.js";
/** @import {FigureMaker, PairTip} from "../figures/figure.d.ts" */
/** @import {UseCurves} from "../data.d.ts" */

/** @type {FigureMaker<UseCurves>} */
export function useFigure({resource, time_s: time, recorded, simulated, distance}) {
  if (time.length === 0) return null;
  const lines = [{name: "recording", values: recorded, ink: "series-1"}, {name: "run", values: simulated, ink: "series-2"}];
  const most = Math.max(1, ...recorded, ...simulated);
  const last = time.length > 1 ? lastOf(time) + time[1] : lastOf(time);
  return {
    id: "calibration-use",
    height: 280,
    summary: `The use of ${resource} by the compared jobs differs by ${percent(distance)} of the capacity on average.`,
    columns: [{title: "from", number: true}, ...lines.map(({name}) => ({title: name, number: true}))],
    rows: () => time.map((t, i) => [duration(t), ...lines.map(({values}) => percent(values[i]))]),
    option: (width) => ({
      legend: legend({top: 0, left: 0, data: lines.map(({name}) => name)}),
      grid: {outerBoundsMode: "none", left: 48, right: 16, top: 34, bottom: 30},
      tooltip: tooltip({trigger: "axis", formatter: (/** @type {PairTip[]} */ list) => `<b>${duration(list[0].value[0])}</b><table class="tip">` +
        list.map((p) => `<tr><td>${p.marker}${markup(p.seriesName)}</td><td class="number">${percent(p.value[1])}</td></tr>`).join("") + "</table>"}),
      xAxis: axis({type: "value", min: 0, max: last, splitLine: {show: false}, axisLabel: {formatter: (v) => duration(v), alignMaxLabel: "right"},
        ...timeTicks(last * Math.max(1, 900 / width))}),
      yAxis: axis({type: "value", min: 0, max: most, interval: 0.5, axisLine: {show: false}, axisLabel: {formatter: (v) => percent(v)}}),
      series: lines.map(({name, values, ink}) => ({name, type: "line", step: "end", showSymbol: false, symbol: "none",
        lineStyle: {width: 1.4, color: colour(ink)}, itemStyle: {color: colour(ink)}, data: time.map((t, i) => [t, values[i]])})),
    }),
  };
}
