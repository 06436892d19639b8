/* The GPUs that are left while the workload arrives: a line for each run. */

import {lastOf} from "../base/lists.js";
import {markup, percentOf, wholePercent} from "../base/text.js";
import {colour} from "../base/theme.js";
import {palette} from "../figures/colours.js";
import {axis, plainLineLegend, sliderColours, tooltip} from "../figures/look.js";
/** @import {Arrival, Run} from "../data.d.ts" */
/** @import {FigureMaker, PairTip} from "../figures/figure.d.ts" */

/**
 * @typedef {object} ArrivalGiven
 * @property {string} id
 * @property {string} title
 * @property {"unallocated" | "ratio" | "fragments"} field
 * @property {string} summary
 * @property {boolean} [ideal] whether a line shows what no fragment at all would leave
 * @property {number} [from] where the axis begins
 * @property {Run[]} runs
 * @property {string[]} names
 */

/**
 * Lines over the share that has arrived, one for each run, with the middle half of the
 * replications.
 * @type {FigureMaker<ArrivalGiven>}
 */
export function arrivalFigure({id, title, field, summary, ideal, from = 0, runs, names}) {
  const rows = runs.flatMap(({arrival}, i) => (arrival
    ? [{name: names[i], series: arrival, colour: palette()[i % 7], dash: ["solid", "dashed", "dotted"][Math.floor(i / 7) % 3]}] : []));
  const last = Math.max(...rows.map((row) => lastOf(row.series.arrived)));
  /** @type {(row: {series: Arrival}, x: number) => number | undefined} */
  const at = (row, x) => row.series[field]?.median[row.series.arrived.indexOf(x)];
  const marks = [50, 80, 90, 95, 100, 110, 120, 130].filter((x) => rows.some((row) => at(row, x) != null));
  return {
    id,
    title,
    height: 300 + 18 * Math.ceil(rows.length / 4),
    summary: `${summary} ${rows.map((row) => `${row.name}: ${percentOf(lastOf(row.series[field]?.median ?? []))} at the end`).join("; ")}.`,
    columns: [{title: "arrived"}, ...rows.map((row) => ({title: row.name, number: true}))],
    rows: () => marks.map((x) => [wholePercent(x), ...rows.map((row) => percentOf(at(row, x)))]),
    option: () => ({
      legend: plainLineLegend({top: 0, left: 0, right: 0, data: rows.map((row) => row.name)}),
      grid: {outerBoundsMode: "none", left: 52, right: 34, top: 24 + 18 * Math.ceil(rows.length / 4), bottom: 74},
      tooltip: tooltip({trigger: "axis", formatter: (/** @type {PairTip[]} */ list) => {
        const x = list[0].value[0];
        const cells = rows.filter((row) => at(row, x) != null).sort((a, b) => (at(b, x) ?? 0) - (at(a, x) ?? 0))
          .map((row) => `<tr><td>${markup(row.name)}</td><td class="number">${percentOf(at(row, x))}</td></tr>`).join("");
        return `<b>${x}% of the GPUs arrived</b><table class="tip">${cells}</table>`;
      }}),
      xAxis: axis({type: "value", min: from, max: last, splitLine: {show: false}, name: "GPUs that have arrived, % of the cluster", nameLocation: "middle", nameGap: 26,
        axisLabel: {formatter: (v) => `${v}%`}}),
      yAxis: axis({type: "value", min: 0, splitNumber: 5, axisLine: {show: false, onZero: false}, axisLabel: {formatter: (v) => `${v}%`}}),
      dataZoom: [
        {type: "slider", xAxisIndex: 0, bottom: 6, height: 20, filterMode: "none", ...(ideal && last > 110 ? {startValue: 70, endValue: Math.min(last, 130)} : {}), ...sliderColours(), labelFormatter: (/** @type {number} */ v) => `${Math.round(v)}%`},
        {type: "inside", xAxisIndex: 0, filterMode: "none", zoomOnMouseWheel: "ctrl", moveOnMouseMove: true},
      ],
      series: [
        ...(ideal ? [{type: "line", silent: true, showSymbol: false, tooltip: {show: false}, lineStyle: {width: 1, type: "dashed", color: colour("muted")},
          itemStyle: {color: colour("muted")}, data: [[from, Math.max(0, 100 - from)], ...(from < 100 ? [[100, 0]] : []), ...(last > 100 ? [[last, 0]] : [])]}] : []),
        ...rows.flatMap((row) => {
          const line = (/** @type {number[]} */ values, /** @type {object} */ more) => ({name: row.name, type: "line", showSymbol: false, symbol: "none", itemStyle: {color: row.colour},
            data: row.series.arrived.map((x, k) => [x, values[k]]), ...more});
          const band = row.series[field];
          if (!band) return [];
          const hidden = {lineStyle: {opacity: 0}, silent: true, tooltip: {show: false}, stack: `${id}-${row.name}`};
          return [
            line(band.median, {lineStyle: {width: 1.6, color: row.colour, type: row.dash}, z: 3}),
            line(band.low, hidden),
            line(band.high.map((high, k) => high - band.low[k]), {...hidden, areaStyle: {color: row.colour, opacity: 0.16}}),
          ];
        }),
      ],
    }),
  };
}
