/* Metrics over time: the lines of each unit are in a panel of their own, one above the other. */

import {lastOf} from "../base/lists.js";
import {duration, markup, number, plural} from "../base/text.js";
import {colour} from "../base/theme.js";
import {palette} from "../figures/colours.js";
import {axis, legendRows, plainLineLegend, sliderColours, tooltip} from "../figures/look.js";
import {timeTicks} from "../figures/time_axis.js";
import {inSeriesUnit} from "./series_lines.js";
/** @import {ChartSeries, FigureMaker, NumberTip, PairTip} from "../figures/figure.d.ts" */
/** @import {Run, SeriesBand} from "../data.d.ts" */
/** @import {SeriesLines, SeriesUnit} from "./series.d.ts" */

/** @type {Record<SeriesUnit, string>} */
const titles = {share: "share", ratio: "ratio", percent: "%", seconds: "seconds", bytes: "bytes", number: "count"};
/** @type {SeriesUnit[]} */
const unitOrder = ["share", "ratio", "percent", "seconds", "bytes", "number"];

/**
 * Shades the time outside of the measuring window, and labels the window's ends.
 * @param {Run} run
 * @param {number} grid
 * @param {number} last
 * @param {boolean} [labelled]
 */
export function windowMark(run, grid, last, labelled = grid === 0) {
  if (!run.window) return null;
  const {from} = run.window;
  const to = run.window.to ?? last;
  const areas = [[0, from], [to, last]].filter(([a, b]) => b > a).map(([a, b]) => [{xAxis: a}, {xAxis: b}]);
  return {type: "line", name: "not measured", silent: true, xAxisIndex: grid, yAxisIndex: grid, data: [], tooltip: {show: false},
    markArea: {silent: true, itemStyle: {color: colour("muted"), opacity: 0.14}, data: areas},
    markLine: {silent: true, symbol: "none", lineStyle: {color: colour("muted"), type: "solid", width: 1},
      label: {show: labelled, color: colour("muted"), fontSize: 12, position: "end", formatter: (/** @type {NumberTip} */ p) => (p.value === from ? "measured from here" : "to here")},
      data: [from, to].filter((t) => t > 0 && t < last).map((t) => ({xAxis: t, label: {align: t === from ? "left" : "right"}}))}};
}

/**
 * The shade between the least and the greatest value, as one closed shape. It is shown and hidden
 * with its line in the legend.
 * @type {(band: SeriesBand, c: number, grid: number, fill: string, name: string) => ChartSeries[]}
 */
export function rangeSeries(band, c, grid, fill, name) {
  return [{
    name, type: "custom", silent: true, xAxisIndex: grid, yAxisIndex: grid, z: 1, clip: true,
    itemStyle: {color: fill}, tooltip: {show: false}, encode: {x: 0, y: 1},
    // The two corners make the axis reach that far; the first of them draws the shape.
    data: [Math.min, Math.max].map((far, i) => [band.time.at(-i),
      (i === 0 ? band.low : band.high)[c].reduce((a, b) => (b == null ? a : a == null ? b : far(a, b)), null)]),
    renderItem: (params, api) => {
      if (params.dataIndex > 0) return null;
      /** @type {number[][]} */
      const up = [];
      /** @type {number[][]} */
      const down = [];
      /** @type {number | null} */
      let before = null;
      band.time.forEach((t, i) => {
        if (band.low[c][i] == null) return;
        if (before != null) {
          up.push(api.coord([t, band.high[c][before]]));
          down.push(api.coord([t, band.low[c][before]]));
        }
        up.push(api.coord([t, band.high[c][i]]));
        down.push(api.coord([t, band.low[c][i]]));
        before = i;
      });
      return {type: "polygon", shape: {points: [...up, ...down.reverse()]}, style: {fill, opacity: 0.14}};
    },
  }];
}

/**
 * The lines that vary. The most wanted ones are drawn at first, and the others after a click.
 * @type {FigureMaker<{run: Run; lines: SeriesLines}>}
 */
export function seriesFigure({run, lines}) {
  const {band, time, values, shown, first} = lines;
  const units = unitOrder.filter((unit) => shown.some((s) => s.unit === unit));
  const each = units.length === 1 ? 260 : 170;
  const top = (/** @type {number} */ width) => 22 + 24 * legendRows(shown.map((s) => s.name), width, 28, 16);
  const between = 26;
  // The lines that are drawn at first have the first colours.
  const place = (/** @type {number} */ i) => (first.includes(shown[i].name) ? first.indexOf(shown[i].name) : first.length + shown.slice(0, i).filter(({name}) => !first.includes(name)).length);
  const colourOf = (/** @type {number} */ i) => palette()[place(i) % 7];
  const dash = (/** @type {number} */ i) => ["solid", "dashed", "dotted"][Math.floor(place(i) / 7) % 3];
  const last = lastOf(time);
  const mostOf = (/** @type {SeriesUnit} */ unit) => Math.max(...shown.filter((s) => s.unit === unit)
    .map(({c}) => (band ? band.high : values)[c].reduce((/** @type {number} */ a, b) => Math.max(a, b ?? a), 0)));
  return {
    id: "series",
    renderer: "canvas",
    height: (width) => top(width) + units.length * (each + between) + 58,
    summary: `${plural(shown.length, "metric")} over ${duration(last - time[0])}. ` + shown.filter(({name}) => first.includes(name)).map(({name, c, unit}) => {
      const known = values[c].filter((v) => v !== null);
      return `${name}: ${inSeriesUnit(unit, Math.min(...known))} to ${inSeriesUnit(unit, Math.max(...known))}, at the end ${inSeriesUnit(unit, lastOf(known))}`;
    }).join("; ") + ".",
    columns: [{title: "time", number: true}, ...shown.map(({name}) => ({title: name, number: true}))],
    rows: () => time.map((t, i) => [duration(t), ...shown.map(({c}) => number(values[c][i]))]),
    option: (width) => ({
      legend: plainLineLegend({top: 0, left: 0, right: 0, itemGap: 16, data: shown.map((s) => s.name),
        selected: Object.fromEntries(shown.map(({name}) => [name, first.includes(name)]))}),
      grid: units.map((_, g) => ({outerBoundsMode: "none", left: 66, right: 34, top: top(width) + g * (each + between), height: each})),
      axisPointer: {link: [{xAxisIndex: "all"}]},
      tooltip: tooltip({trigger: "axis", formatter: (/** @type {PairTip[]} */ list) => {
        const rows = list.filter((p) => p.componentSubType === "line").map((p) => {
          const s = shown.find((x) => x.name === p.seriesName);
          return !s || p.value[1] == null ? "" : `<tr><td>${p.marker}${markup(s.name)}</td>` +
            `<td class="number">${inSeriesUnit(s.unit, p.value[1])}</td></tr>`;
        }).join("");
        return `<b>${duration(list[0].value[0])}</b><table class="tip">${rows}</table>`;
      }}),
      xAxis: units.map((_, g) => axis({type: "value", gridIndex: g, min: time[0], max: last, splitLine: {show: false},
        axisLabel: {show: g === units.length - 1, formatter: (v) => duration(v)}, ...timeTicks(last - time[0])})),
      yAxis: units.map((unit, g) => axis({type: "value", gridIndex: g, scale: unit !== "share", min: unit === "share" ? 0 : null,
        ...(unit === "share" && mostOf(unit) > 0.7 ? {max: 1, interval: 0.25} : {}),
        name: titles[unit], nameLocation: "middle", nameGap: 48, splitNumber: 4, axisLine: {show: false, onZero: false},
        axisLabel: {formatter: (v) => inSeriesUnit(unit, v)}})),
      dataZoom: [
        {type: "slider", xAxisIndex: units.map((_, g) => g), bottom: 8, height: 22, filterMode: "none",
          ...sliderColours(), labelFormatter: (/** @type {number} */ v) => duration(v)},
        {type: "inside", xAxisIndex: units.map((_, g) => g), filterMode: "none", zoomOnMouseWheel: "ctrl", moveOnMouseMove: true},
      ],
      series: [
        ...units.flatMap((_, g) => windowMark(run, g, last) ?? []),
        ...shown.map(({name, c, unit}, i) => ({
          name, type: "line", xAxisIndex: units.indexOf(unit), yAxisIndex: units.indexOf(unit),
          step: "end", showSymbol: false, symbol: "none", connectNulls: false,
          lineStyle: {width: 1.6, color: colourOf(i), type: dash(i)}, itemStyle: {color: colourOf(i)},
          data: time.map((t, k) => [t, values[c][k]]),
        })),
        ...(band ? shown.flatMap(({c, unit, name}, i) => rangeSeries(band, c, units.indexOf(unit), colourOf(i), name)) : []),
      ],
    }),
  };
}
