/* Mean waits of the jobs that arrive on each day, in the recording and in the run. */

import {duration, markup, number, plural} from "../base/text.js";
import {colour} from "../base/theme.js";
import {axis, legend, tooltip} from "../figures/look.js";
import {timeTicks} from "../figures/time_axis.js";
/** @import {FigureMaker, TipPoint} from "../figures/figure.d.ts" */
/** @import {Value, WaitAgreement} from "../data.d.ts" */

/** @type {FigureMaker<WaitAgreement[]>} */
export function dayWaitsFigure(days) {
  const bars = [
    {name: "recording", ink: "series-1", of: (/** @type {WaitAgreement} */ day) => day.recorded_mean_s},
    {name: "run", ink: "series-2", of: (/** @type {WaitAgreement} */ day) => day.simulated_mean_s},
  ];
  const longest = Math.max(0, ...days.flatMap((day) => bars.map(({of}) => of(day))));
  if (longest === 0) return null;
  const longer = days.filter((day) => day.simulated_mean_s > day.recorded_mean_s).length;
  const shorter = days.filter((day) => day.simulated_mean_s < day.recorded_mean_s).length;
  return {
    id: "calibration-days",
    height: 260,
    summary: `Of ${plural(days.length, "day")}, jobs wait longer in the run on ${number(longer)} and shorter on ${number(shorter)}.`,
    columns: [{title: "day", number: true}, ...bars.map(({name}) => ({title: name, number: true}))],
    rows: () => days.map((day) => [day.label, ...bars.map(({of}) => duration(of(day)))]),
    option: () => ({
      legend: legend({top: 0, left: 0, data: bars.map(({name}) => name)}),
      grid: {outerBoundsMode: "none", left: 62, right: 16, top: 34, bottom: 44},
      tooltip: tooltip({trigger: "axis", axisPointer: {type: "shadow", shadowStyle: {color: colour("muted"), opacity: 0.12}},
        formatter: (/** @type {TipPoint<Value, unknown>[]} */ list) => `<b>day ${markup(list[0].name)}</b><table class="tip">` + list.map((p) =>
          `<tr><td>${p.marker}${markup(p.seriesName)}</td><td class="number">${p.value === null ? "–" : duration(p.value)}</td></tr>`).join("") + "</table>"}),
      xAxis: axis({type: "category", name: "day of the run", nameLocation: "middle", nameGap: 28, data: days.map((day) => day.label), splitLine: {show: false}}),
      yAxis: axis({type: "value", min: 0, axisLine: {show: false}, axisLabel: {formatter: (v) => duration(v)}, ...timeTicks(2 * longest)}),
      series: bars.map(({name, ink, of}) => ({name, type: "bar", barMaxWidth: 18, barGap: "10%", itemStyle: {color: colour(ink)}, data: days.map(of)})),
    }),
  };
}
