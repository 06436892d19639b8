/* Sampled metrics of several runs: a panel for each metric, a line for each run. */

import {withUnit} from "../base/definitions.js";
import {duration, number, plural} from "../base/text.js";
import {colour} from "../base/theme.js";
import {palette} from "../figures/colours.js";
import {axis, legendRows, plainLineLegend} from "../figures/look.js";
import {timeTicks} from "../figures/time_axis.js";
import {rangeSeries} from "./series_figure.js";
import {inSeriesUnit, unitOf} from "./series_lines.js";
/** @import {Series, SeriesBand, Value} from "../data.d.ts" */
/** @import {SureFigureMaker} from "../figures/figure.d.ts" */

const [each, between] = [120, 34];

/** @typedef {{name: string; colour: string; time: number[]; values: Value[]; c: number; band: SeriesBand | undefined}} Line */

/**
 * The lines of one metric, of the runs that have it.
 * @type {(metric: string, runs: Series[], names: string[]) => Line[]}
 */
const linesOf = (metric, runs, names) => runs.flatMap((series, i) => {
  const c = series.columns.indexOf(metric);
  const {time, values} = series.band ? {time: series.band.time, values: series.band.mean} : series.runs[0];
  return c < 0 ? [] : [{name: names[i], colour: palette()[i % 7], time, values: values[c], c, band: series.band}];
});

/** @type {(lines: Line[]) => number} */
const mostOf = (lines) => lines.reduce((most, {c, band, values}) => (band ? band.high[c] : values).reduce((/** @type {number} */ a, b) => Math.max(a, b ?? a), most), 0);

/** @type {SureFigureMaker<{metrics: string[]; runs: Series[]; names: string[]}>} */
export function metricsFigure({metrics, runs, names}) {
  const panels = metrics.map((metric) => ({metric, lines: linesOf(metric, runs, names)}))
    .map((panel) => ({...panel, unit: unitOf(panel.metric, panel.lines.flatMap(({values}) => values))}));
  const times = panels.flatMap(({lines}) => lines.flatMap(({time}) => time));
  const first = times.reduce((a, b) => Math.min(a, b), Infinity);
  const last = Math.max(times.reduce((a, b) => Math.max(a, b), -Infinity), first + 1e-9);
  const head = (/** @type {number} */ width) => 24 + (runs.length > 1 ? 24 * legendRows(names, width, 28, 10) : 0);
  const top = (/** @type {number} */ g, /** @type {number} */ width) => head(width) + g * (each + between);
  return {
    id: "metrics",
    height: (width) => top(panels.length, width),
    summary: `${plural(metrics.length, "metric")} of ${plural(runs.length, "run")} over ${duration(last - first)}.`,
    columns: [{title: "run", class: "name"}, {title: "metric"}, {title: "time", number: true}, {title: "value", number: true}],
    rows: () => panels.flatMap(({metric, lines}) => lines.flatMap(({name, time, values}) =>
      time.map((t, i) => [name, metric, duration(t), number(values[i])]))),
    option: (width) => ({
      legend: runs.length > 1 ? plainLineLegend({top: 0, left: 0, right: 0, data: names}) : undefined,
      title: panels.map(({metric}, g) => ({text: withUnit(metric), left: 0, top: top(g, width) - 23, padding: 2,
        textStyle: {fontSize: 13, fontWeight: 600, color: colour("ink")}})),
      grid: panels.map((_, g) => ({outerBoundsMode: "none", left: 66, right: 20, top: top(g, width), height: each})),
      xAxis: panels.map((_, g) => axis({type: "value", gridIndex: g, min: first, max: last, splitLine: {show: false},
        axisLabel: {show: g === panels.length - 1, formatter: (v) => duration(v), alignMaxLabel: "right"}, ...timeTicks((last - first) * 900 / width)})),
      yAxis: panels.map(({unit}, g) => axis({type: "value", gridIndex: g, min: (/** @type {{min: number}} */ range) => Math.min(range.min, 0), splitNumber: 4,
        ...(unit === "share" && mostOf(panels[g].lines) > 0.7 ? {max: 1, interval: 0.25} : {}),
        axisLine: {show: false, onZero: false}, axisLabel: {formatter: (v) => inSeriesUnit(unit, v)}})),
      series: panels.flatMap(({lines}, g) => lines.flatMap((line) => [
        {name: line.name, type: "line", xAxisIndex: g, yAxisIndex: g, step: "end", showSymbol: false, symbol: "none",
          lineStyle: {width: 1.4, color: line.colour}, itemStyle: {color: line.colour}, data: line.time.map((t, i) => [t, line.values[i]])},
        ...(line.band ? rangeSeries(line.band, line.c, g, line.colour, line.name) : []),
      ])),
    }),
  };
}
