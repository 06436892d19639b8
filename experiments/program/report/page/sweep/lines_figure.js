/* A metric over one axis, with a line for each value of another axis, in one picture or panel by
   panel. */

import {markup, quantity} from "../base/text.js";
import {colour} from "../base/theme.js";
import {axis, legendRows, lineLegend, linesOf, tooltip} from "../figures/look.js";
import {cellsTable, extremesInWords, missingInWords} from "./cells.js";
import {bounds, lineLook, nameLines, tick, unitName, xAxisOf} from "./line_look.js";
import {axisNamed, axisOf} from "./sweep_data.js";
/** @import {ChartSeries, SureFigureMaker, TipPoint} from "../figures/figure.d.ts" */
/** @import {LineLook, LinesGiven, SweepCell, SweepView} from "./sweep.d.ts" */
/** @import {SweepAxis} from "../data.d.ts" */

export const panelsMax = 24;

/**
 * The interval of a line: a band along numbers, or a whisker at each name, shifted by `aside`.
 * @type {(name: string, cells: SweepCell[], a: SweepAxis, look: LineLook, grid: number, aside: number) => ChartSeries}
 */
function bandSeries(name, cells, a, look, grid, aside) {
  const numeric = a.numbers !== null;
  const place = (/** @type {SweepCell} */ c) => a.numbers?.[c.x] ?? c.x;
  return {type: "custom", name, silent: true, clip: true, z: 1, xAxisIndex: grid, yAxisIndex: grid, encode: {x: 0, y: [1, 2]}, tooltip: {show: false},
    data: cells.map((c) => [place(c), c.mean - (c.ci95 ?? 0), c.mean + (c.ci95 ?? 0)]),
    renderItem: (params, api) => {
      const at = (/** @type {SweepCell} */ c, /** @type {number} */ sign) => api.coord([place(c), c.mean + sign * (c.ci95 ?? 0)]);
      if (numeric && cells.length > 1) {
        if (params.dataIndex > 0) return null;
        return {type: "polygon", shape: {points: [...cells.map((c) => at(c, 1)), ...[...cells].reverse().map((c) => at(c, -1))]},
          style: {fill: look.colour, opacity: 0.16}};
      }
      const cell = cells[params.dataIndex];
      const [middle, y1] = at(cell, 1);
      const x = middle + aside;
      const y2 = at(cell, -1)[1];
      const stroke = {stroke: look.colour, lineWidth: 1.5, fill: "none"};
      return {type: "group", children: [[x, y1, x, y2], [x - 4, y1, x + 4, y1], [x - 4, y2, x + 4, y2]].map(([x1, a1, x2, a2]) =>
        ({type: "line", shape: {x1, y1: a1, x2, y2: a2}, style: stroke}))};
    }};
}

/**
 * The series of one panel: each line with its interval.
 * @type {(view: SweepView, cells: SweepCell[], grid: number, width: number) => ChartSeries[]}
 */
function lineSeries(view, cells, grid, width) {
  const a = axisOf(view.x);
  const lines = axisNamed(view.by)?.values ?? [view.metric];
  const used = new Set(cells.map((c) => c.by));
  return lines.flatMap((name, i) => {
    if (!used.has(i)) return [];
    const own = cells.filter((c) => c.by === i);
    const look = lineLook(i);
    // Between names there is nothing that a line could represent, so their marks are side by side.
    const names = a.numbers === null;
    const place = [...used].sort((x, y) => x - y).indexOf(i) - (used.size - 1) / 2;
    const aside = names ? place * Math.min(14, width / a.values.length / (used.size + 1)) : 0;
    // The line comes before its interval, because the legend shows the first series with a name.
    return [{
      type: "line", name, xAxisIndex: grid, yAxisIndex: grid, z: 3, symbol: look.symbol,
      symbolSize: Math.max(3, Math.min(8, width / own.length / 3)), showAllSymbol: true, color: look.colour,
      symbolOffset: [aside, 0], lineStyle: {width: names ? 0 : 2, type: look.dash}, emphasis: {focus: "series"},
      data: own.map((c) => ({value: [a.numbers?.[c.x] ?? c.x, c.mean], cell: c}))},
    bandSeries(name, own, a, look, grid, aside)];
  });
}

/** @typedef {TipPoint<number[], {cell: SweepCell} | undefined>} LineTip */

/**
 * The text at the pointer: all lines at one place, the greatest first, or one mark if there are
 * many lines.
 * @param {SweepView} view
 */
function lineTooltip(view) {
  const {metric, x, by, panel} = view;
  const title = (/** @type {SweepCell} */ c) => [panel ? `${panel} ${axisOf(panel).values[c.panel]}` : "", `${x} ${axisOf(x).values[c.x]}`]
    .filter(Boolean).map(markup).join(", ");
  const said = (/** @type {SweepCell} */ c) => `${quantity(metric, c.mean, c.ci95)}${c.points > 1 ? ` <span class="faint">(${c.points} points)</span>` : ""}`;
  const many = (axisNamed(by)?.values.length ?? 1) > 12;
  return tooltip({trigger: many ? "item" : "axis", formatter: (/** @type {LineTip | LineTip[]} */ list) => {
    const marks = (Array.isArray(list) ? list : [list]).flatMap(({marker, seriesName, data: mark}) =>
      (mark?.cell ? [{marker, seriesName, cell: mark.cell}] : [])).sort((a, b) => b.cell.mean - a.cell.mean);
    if (marks.length === 0) return "";
    return `<b>${title(marks[0].cell)}</b><br>${markup(metric)}, mean ± 95%<table class="tip">${marks.map(({marker, seriesName, cell}) =>
      `<tr><td>${marker}${by ? markup(seriesName) : "mean"}</td><td class="number">${said(cell)}</td></tr>`).join("")}</table>`;
  }});
}

/**
 * One panel, or several with the same scale.
 * @type {SureFigureMaker<LinesGiven>}
 */
export function linesFigure({id, title, view, cells, height, columnsOf, ownScales}) {
  const a = axisOf(view.x);
  const panels = view.panel ? [...new Set(cells.map((c) => c.panel))].slice(0, panelsMax) : [0];
  const lines = axisNamed(view.by)?.values;
  const shownLines = (lines ?? []).filter((_, i) => cells.some((c) => c.by === i));
  const panelAxis = axisNamed(view.panel);
  const left = 62;
  const wideOf = (/** @type {number} */ width) => (width - 24) / columnsOf(width) - left - 6;
  const titleOf = (/** @type {number} */ value) => `${view.panel} ${panelAxis?.values[value]}`;
  const titlesOf = (/** @type {number} */ width) => (panelAxis ? 6 + 16 * linesOf(panels.map(titleOf), wideOf(width) * 0.8) : 0);
  const below = (/** @type {number} */ width) => 46 + 13 * (nameLines(a, wideOf(width)) - 1);
  const head = (/** @type {number} */ width) => (lines ? 18 + 22 * legendRows(shownLines, width, 30) : 24);
  const layout = (/** @type {number} */ width) => {
    const columns = columnsOf(width);
    const wide = wideOf(width);
    const titles = titlesOf(width);
    return panels.map((_, i) => ({left: left + (i % columns) * (wide + left + 6), width: wide,
      top: head(width) + titles + Math.floor(i / columns) * (height + titles + below(width)), height}));
  };
  const of = (/** @type {number} */ value) => cells.filter((c) => c.panel === value);
  const ranges = panels.map((value) => bounds(view.metric, ownScales ? of(value) : cells));
  return {
    ...cellsTable(view, cells),
    id, title,
    height: (width) => head(width) + Math.ceil(panels.length / columnsOf(width)) * (height + titlesOf(width) + below(width)),
    renderer: cells.length > 400 ? "canvas" : "svg",
    summary: `${view.metric} over ${view.x}${lines ? `, one line a value of ${view.by}` : ""}` +
      `${view.panel ? `, one panel a value of ${view.panel}` : ""}: ${extremesInWords(view, cells)}.${missingInWords(cells)}`,
    option: (width) => {
      const grids = layout(width);
      return {
        legend: lines ? lineLegend({top: 0, left: 0, right: 0, itemWidth: 30, itemGap: 18, data: shownLines}) : undefined,
        title: panelAxis ? panels.map((value, i) => ({text: titleOf(value), left: grids[i].left - 5,
          top: grids[i].top - titlesOf(width) - 1, textStyle: {color: colour("ink"), fontSize: 13, fontWeight: 600, width: grids[i].width, overflow: "break"}})) : undefined,
        grid: grids.map((g) => ({outerBoundsMode: "none", ...g})),
        tooltip: lineTooltip(view),
        xAxis: grids.map((g, i) => xAxisOf(a, g.width, {gridIndex: i, axisLine: {onZero: false}})),
        yAxis: grids.map((_, i) => axis({type: "value", gridIndex: i, ...ranges[i], axisLine: {show: false, onZero: false}, ...(view.panel ? {} : unitName(view.metric)),
          axisLabel: {formatter: (v) => tick(view.metric, v)}})),
        series: panels.flatMap((value, i) => lineSeries(view, of(value), i, grids[i].width)),
      };
    },
  };
}
