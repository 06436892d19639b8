/* How near to each other the pods' devices are: shares that were reached, drawn on shares that
   were possible. */

import {markup, percent, percent1} from "../base/text.js";
import {colour, fontFamily} from "../base/theme.js";
import {mixedAlpha} from "../figures/colours.js";
import {axis, nameLabels, tooltip} from "../figures/look.js";
import {ofPossible} from "./nearness.js";
/** @import {BarRow, Reached} from "./devices.d.ts" */
/** @import {Cell, Column} from "../base/tables.d.ts" */
/** @import {Figure, NumberTip, RenderApi, Shape} from "../figures/figure.d.ts" */

/**
 * Puts panels side by side as far as there is room. The names of the rows are left of each row of
 * panels.
 * @param {number} width
 * @param {BarRow[]} rows
 * @param {{title: string}[]} panels
 */
function panelPlaces(width, rows, panels) {
  const names = Math.min(width * 0.3, 16 + 7.2 * Math.max(...rows.map((row) => row.label.length)));
  const across = Math.max(1, Math.min(panels.length, Math.floor((width - names) / 230)));
  const each = (width - names) / across;
  const high = 12 + 30 * rows.length;
  const down = Math.ceil(panels.length / across);
  const places = panels.map((_, i) => ({
    left: names + (i % across) * each + 4,
    top: 30 + Math.floor(i / across) * (high + 58),
    width: each - 118,
    height: high,
    first: i % across === 0,
  }));
  return {places, names, height: down * (high + 58) + 4};
}

/** @type {(api: RenderApi, row: number, value: Reached | null) => Shape | null} */
function barShapes(api, row, value) {
  if (value?.reached == null) return null;
  const {reached, attainable} = value;
  const [left, middle] = api.coord([0, row]);
  const bar = (/** @type {number} */ share, /** @type {number} */ height, /** @type {string} */ fill) => ({type: "rect", style: {fill},
    shape: {x: left, y: middle - height / 2, width: Math.max(share > 0 ? 1 : 0, api.coord([share, row])[0] - left), height}});
  const end = api.coord([Math.max(reached, attainable ?? 0), row])[0];
  /** @type {(Shape | null)[]} */
  const shapes = [
    attainable == null ? null : bar(attainable, 20, mixedAlpha(colour("busy-some"), 0.7)),
    bar(reached, 10, colour("busy-full")),
    {type: "text", x: end + 7, y: middle, style: {text: ofPossible(value), fill: colour("muted"), fontSize: 12,
      fontFamily: fontFamily(), verticalAlign: "middle"}},
  ];
  return {type: "group", children: shapes.filter((shape) => shape !== null)};
}

/**
 * @template {BarRow} Row
 * @typedef {object} NearnessGiven
 * @property {string} id
 * @property {string} title
 * @property {Row[]} rows
 * @property {{title: string}[]} panels
 * @property {string} summary
 * @property {string} caption
 * @property {Column[]} columns
 * @property {(row: Row) => Cell[]} cells a row of the table
 */

/**
 * Bars in panels: a wide pale bar for what was possible and, on it, a narrow dark bar for what was
 * reached.
 * @template {BarRow} Row
 * @param {NearnessGiven<Row>} given
 * @returns {Figure}
 */
export function nearnessBars({id, title, rows, panels, summary, caption, columns, cells}) {
  return {
    id,
    title,
    summary,
    caption,
    height: (width) => panelPlaces(width, rows, panels).height,
    columns,
    rows: () => rows.map(cells),
    option: (width) => {
      const {places, names} = panelPlaces(width, rows, panels);
      return {
        title: panels.map((panel, i) => ({text: panel.title, left: places[i].left - 5, top: places[i].top - 26,
          textStyle: {fontSize: 13, fontWeight: 600, color: colour("ink")}})),
        grid: places.map(({left, top, width: wide, height}) => ({outerBoundsMode: "none", left, top, width: wide, height})),
        tooltip: tooltip({trigger: "item", formatter: (/** @type {NumberTip} */ p) => {
          const panel = p.seriesIndex;
          const value = rows[p.dataIndex].values[panel];
          return `<b>${markup(rows[p.dataIndex].label)}: ${markup(panels[panel].title)}</b><br>${ofPossible(value)}` +
            ((value?.ci95 ?? 0) > 0 ? ` ± ${percent1(value?.ci95)}` : "") + (value?.note ? `<br>${markup(value.note)}` : "");
        }}),
        xAxis: panels.map((_, i) => axis({type: "value", gridIndex: i, min: 0, max: 1, interval: 0.5,
          axisLabel: {formatter: (v) => percent(v), hideOverlap: false}})),
        yAxis: panels.map((_, i) => axis({type: "category", gridIndex: i, inverse: true, data: rows.map((row) => row.label),
          splitLine: {show: false}, axisLabel: {show: places[i].first, ...nameLabels(names - 12), color: colour("ink")}})),
        series: panels.map((panel, i) => ({name: panel.title, type: "custom", xAxisIndex: i, yAxisIndex: i, encode: {x: 0, y: 1},
          data: rows.map((row, k) => [row.values[i]?.reached ?? 0, k]),
          renderItem: (params, api) => barShapes(api, params.dataIndex, rows[params.dataIndex].values[i])})),
      };
    },
  };
}
