/* How typical pods could use the free GPUs. */

import {markup, percentOf, wholePercent} from "../base/text.js";
import {palette} from "../figures/colours.js";
import {axis, legend, tooltip} from "../figures/look.js";
/** @import {FigureMaker, PairTip} from "../figures/figure.d.ts" */
/** @import {Run} from "../data.d.ts" */

/** @type {[string, string][]} */
const fragmentClasses = [
  ["q3_satisfied", "usable by typical pods"],
  ["q2_lack_gpu", "devices too small or too few"],
  ["q4_lack_cpu", "CPU missing"],
  ["q1_lack_both", "devices and CPU missing"],
  ["xl_satisfied", "no GPU wanted, CPU there"],
  ["xr_lack_cpu", "no GPU wanted, CPU missing"],
  ["no_access", "model not accepted"],
];

/** @type {FigureMaker<{run: Run; several: boolean}>} */
export function classesFigure({run, several}) {
  const series = run.arrival;
  if (!series) return null;
  const shown = fragmentClasses.map(([name, text], i) => ({name, text, colour: palette()[i], values: series.classes[name]}))
    .filter((part) => part.values.some((v) => v > 0.005));
  const at = (/** @type {number} */ k) => shown.map((part) => part.values[k]);
  const end = series.arrived.length - 1;
  return {
    id: "fragment-classes",
    title: "What the free GPUs were to typical pods",
    height: 300,
    summary: `${several ? `${run.experiment}. ` : ""}At the end, of all GPUs: ` + shown.map((part) => `${part.text} ${percentOf(part.values[end])}`).join("; ") + ".",
    columns: [{title: "arrived"}, ...shown.map((part) => ({title: part.text, number: true}))],
    rows: () => series.arrived.map((x, k) => [wholePercent(x), ...at(k).map(percentOf)]).filter((_, k) => k % 5 === 0 || k === end),
    option: () => ({
      legend: legend({top: 0, left: 0, right: 0, data: shown.map((part) => part.text)}),
      grid: {outerBoundsMode: "none", left: 52, right: 28, top: 58, bottom: 44},
      tooltip: tooltip({trigger: "axis", formatter: (/** @type {PairTip[]} */ list) => `<b>${list[0].value[0]}% of the GPUs arrived</b><table class="tip">` +
        list.map((p) => `<tr><td>${p.marker}${markup(p.seriesName)}</td><td class="number">${percentOf(p.value[1])}</td></tr>`).reverse().join("") + "</table>"}),
      xAxis: axis({type: "value", min: series.arrived[0], max: series.arrived[end], splitLine: {show: false}, name: "GPUs that have arrived, % of the cluster",
        nameLocation: "middle", nameGap: 26, axisLabel: {formatter: (v) => `${v}%`}}),
      yAxis: axis({type: "value", min: 0, max: 100, interval: 25, axisLine: {show: false, onZero: false}, axisLabel: {formatter: (v) => `${v}%`}}),
      series: shown.map((part) => ({name: part.text, type: "line", stack: "classes", showSymbol: false, itemStyle: {color: part.colour},
        lineStyle: {width: 0.8, color: part.colour}, areaStyle: {color: part.colour, opacity: 0.55}, data: series.arrived.map((x, k) => [x, part.values[k]])})),
    }),
  };
}
