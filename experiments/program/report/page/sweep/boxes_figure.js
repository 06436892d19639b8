/* How a metric spreads over the replications. */

import {sweep} from "../base/state.js";
import {markup, plural, quantity} from "../base/text.js";
import {colour} from "../base/theme.js";
import {mixedAlpha} from "../figures/colours.js";
import {axis, labelsBelow, legend, linesOf, sliderColours, tooltip} from "../figures/look.js";
import {cellsTable, missingInWords} from "./cells.js";
import {lineLook, roundRange, tick} from "./line_look.js";
import {axisNamed, axisOf} from "./sweep_data.js";
/** @import {BoxCell, LineLook, SweepView} from "./sweep.d.ts" */
/** @import {RenderApi, Shape, SureFigureMaker, TipPoint} from "../figures/figure.d.ts" */

export const boxesMax = 7;  // the most lines beside each other

/** @type {(api: RenderApi, c: BoxCell, middle: number, wide: number, look: LineLook) => Shape} */
function boxGroup(api, c, middle, wide, look) {
  const y = (/** @type {number} */ value) => api.coord([0, value])[1];
  const [min, q1, median, q3, max] = [c.min, c.q1, c.median, c.q3, c.max].map(y);
  const line = (/** @type {number} */ x1, /** @type {number} */ y1, /** @type {number} */ x2, /** @type {number} */ y2, lineWidth = 1.5) => ({type: "line", shape: {x1, y1, x2, y2}, style: {stroke: look.colour, lineWidth, fill: "none"}});
  const half = wide / 2;
  return {type: "group", children: [
    line(middle, min, middle, q1), line(middle, q3, middle, max),
    line(middle - half / 2, min, middle + half / 2, min), line(middle - half / 2, max, middle + half / 2, max),
    {type: "rect", shape: {x: middle - half, y: q3, width: wide, height: Math.max(q1 - q3, 1)},
      style: {stroke: look.colour, lineWidth: 1.5, fill: mixedAlpha(look.colour, 0.2)}},
    line(middle - half, median, middle + half, median, 2.5),
    {type: "circle", shape: {cx: middle, cy: y(c.mean), r: Math.min(3.5, half / 2 + 1)},
      style: {fill: colour("paper"), stroke: look.colour, lineWidth: 1.5}},
  ]};
}

/** @type {SureFigureMaker<{view: SweepView; cells: BoxCell[]; all?: boolean}>} */
export function boxesFigure({view, cells, all = false}) {
  const a = axisOf(view.x);
  const lines = axisNamed(view.by)?.values ?? [view.metric];
  const used = lines.map((name, i) => ({name, i})).filter(({i}) => cells.some((c) => c.by === i)).slice(0, all ? Infinity : boxesMax);
  const shown = cells.filter((c) => used.some(({i}) => i === c.by));
  const range = roundRange(Math.min(...shown.map((c) => c.min)), Math.max(...shown.map((c) => c.max)));
  const slotOf = (/** @type {number} */ width) => (width - 70) / a.values.length;
  const roomOf = (/** @type {number} */ width) => (all ? slotOf(width) : Math.max(10 * used.length + 6, slotOf(width)));
  return {
    ...cellsTable(view, shown),
    id: "sweep-boxes",
    title: `${view.metric} over the replications, by ${view.x}${view.by ? ` and ${view.by}` : ""}`,
    height: (width) => 360 + 13 * (linesOf(a.values, roomOf(width) - 6) - 1),
    renderer: shown.length > 150 ? "canvas" : "svg",
    summary: `Of ${plural(sweep.replications.length, "replication")}: medians from ` +
      `${quantity(view.metric, Math.min(...shown.map((c) => c.median)))} to ${quantity(view.metric, Math.max(...shown.map((c) => c.median)))}, all values from ` +
      `${quantity(view.metric, Math.min(...shown.map((c) => c.min)))} to ${quantity(view.metric, Math.max(...shown.map((c) => c.max)))}.${missingInWords(shown)}`,
    option: (width) => {
      const slot = slotOf(width);
      const room = roomOf(width);
      const zoomed = room > slot;
      return {
        legend: view.by ? legend({type: "scroll", top: 0, left: 0, right: 0, data: used.map(({name}) => name),
          pageTextStyle: {color: colour("muted")}, pageIconColor: colour("accent")}) : undefined,
        grid: {outerBoundsMode: "none", left: 58, right: 12, top: view.by ? 36 : 8, bottom: (zoomed ? 84 : 48) + 13 * (linesOf(a.values, room - 6) - 1)},
        tooltip: tooltip({trigger: "item", formatter: (/** @type {TipPoint<number[], {cell: BoxCell}>} */ p) => {
          const c = p.data.cell;
          const show = (/** @type {number} */ v) => quantity(view.metric, v);
          return `<b>${markup(`${view.x} ${a.values[c.x]}${view.by ? `, ${view.by} ${lines[c.by]}` : ""}`)}</b><br>` +
            `median ${show(c.median)}, quartiles ${show(c.q1)} and ${show(c.q3)}<br>all from ${show(c.min)} to ${show(c.max)}<br>` +
            `mean ${quantity(view.metric, c.mean, c.ci95)}, ${plural(c.n, "replication")}`;
        }}),
        dataZoom: zoomed ? [{type: "slider", xAxisIndex: 0, start: 0, end: 100 * slot / room, bottom: 8, height: 22, filterMode: "filter", ...sliderColours()}] : undefined,
        xAxis: axis({type: "category", data: a.values, name: view.x, nameLocation: "middle", nameGap: 26 + 13 * (linesOf(a.values, room - 6) - 1), splitLine: {show: false},
          axisLine: {onZero: false}, axisLabel: labelsBelow(room - 6)}),
        yAxis: axis({type: "value", ...range, axisLine: {show: false, onZero: false},
          axisLabel: {formatter: (v) => tick(view.metric, v)}}),
        series: used.map(({name, i}, place) => {
          const look = lineLook(i);
          const own = shown.filter((c) => c.by === i);
          return {type: "custom", name, color: look.colour, clip: zoomed, encode: {x: 0, y: [1, 2]}, data: own.map((c) => ({value: [c.x, c.min, c.max], cell: c})),
            renderItem: (params, api) => {
              const [middle] = api.coord([api.value(0), 0]);
              const each = Math.min(api.size([1, 0])[0] * 0.8 / used.length, 44);
              return boxGroup(api, own[params.dataIndex], middle + (place - (used.length - 1) / 2) * each, Math.max(4, each - 5), look);
            }};
        }),
      };
    },
  };
}
