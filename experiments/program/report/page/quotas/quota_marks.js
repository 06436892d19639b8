/* Evictions, changes and over-use, as marks in the chart of a quota. */

import {duration, markup} from "../base/text.js";
import {colour} from "../base/theme.js";
/** @import {ChangeMark, EvictionMark} from "../data.d.ts" */
/** @import {ChartSeries} from "../figures/figure.d.ts" */

/**
 * A triangle on the axis for the evictions at each instant; it is larger for more evictions.
 * @type {(marks: EvictionMark[], name: string) => ChartSeries & {name: string}}
 */
export function evictionMarks(marks, name) {
  /** @type {Map<number, number>} */
  const counts = new Map();
  marks.forEach(([t]) => counts.set(t, (counts.get(t) ?? 0) + 1));
  const fill = colour("fails");
  return {name, type: "custom", silent: true, z: 7, clip: false, encode: {x: 0, y: 1}, itemStyle: {color: fill},
    data: [...counts].map(([t, count]) => [t, 0, count]),
    renderItem: (params, api) => {
      const [x, y] = api.coord([api.value(0), 0]);
      const {x: left, width} = params.coordSys;
      if (x < left - 1 || x > left + width + 1) return null;
      const half = Math.min(9, 3.5 + Math.sqrt(api.value(2)));
      return {type: "polygon", shape: {points: [[x - half, y + 1], [x + half, y + 1], [x, y - 2 * half]]},
        style: {fill, stroke: colour("surface"), lineWidth: 1}};
    }};
}

/**
 * A vertical line for each change. A refused change has the colour of failure and a cross on top.
 * @type {(marks: ChangeMark[]) => ChartSeries & {name: string}}
 */
export function changeMarks(marks) {
  return {name: "changes", type: "custom", silent: true, z: 6, clip: false, encode: {x: 0, y: 1},
    itemStyle: {color: colour("muted")},
    data: marks.map(([t, , , accepted]) => [t, 0, accepted ? 1 : 0]),
    renderItem: (params, api) => {
      const {x: left, y: top, width, height} = params.coordSys;
      const x = api.coord([api.value(0), 0])[0];
      if (x < left - 1 || x > left + width + 1) return null;
      const stroke = api.value(2) ? colour("muted") : colour("fails");
      const style = {stroke, lineWidth: 1.4, fill: "none"};
      const top4 = top - 4;
      const sign = api.value(2)
        ? {type: "circle", shape: {cx: x, cy: top4, r: 3.5}, style: {...style, fill: stroke}}
        : {type: "path", shape: {pathData: `M${x - 4},${top4 - 4}L${x + 4},${top4 + 4}M${x + 4},${top4 - 4}L${x - 4},${top4 + 4}`},
          style: {...style, lineWidth: 2}};
      return {type: "group", children: [sign, {type: "line", shape: {x1: x, y1: top, x2: x, y2: top + height},
        style: {...style, lineDash: [3, 3]}}]};
    }};
}

/** @type {(stretches: number[][]) => ChartSeries & {name: string}} */
export function overUseSeries(stretches) {
  const fill = colour("fails");
  return {name: "over runtime", type: "custom", silent: true, z: 5, clip: true, encode: {x: [0, 1], y: [2, 3]},
    itemStyle: {color: fill, opacity: 0.55}, data: stretches,
    renderItem: (params, api) => {
      const [x0, y0] = api.coord([api.value(0), api.value(2)]);
      const [x1, y1] = api.coord([api.value(1), api.value(3)]);
      return {type: "rect", shape: {x: x0, y: y1, width: Math.max(1, x1 - x0), height: y0 - y1}, style: {fill, opacity: 0.55}};
    }};
}

/**
 * What happened around a time: changes with their messages, and evictions by cause.
 * @type {(time: number, near: number, changes: ChangeMark[], evictions: EvictionMark[], evicted: (count: number) => string) => string}
 */
export function happenings(time, near, changes, evictions, evicted) {
  const rows = changes.filter(([t]) => Math.abs(t - time) <= near).map(([t, change, name, accepted, message]) =>
    `<b>${duration(t)}: ${markup(change)} ${markup(name)}</b> ${accepted ? "" : "refused"}${message ? `<br>${markup(message)}` : ""}`);
  const lost = evictions.filter(([t]) => Math.abs(t - time) <= near);
  if (lost.length > 0) {
    const names = lost.slice(0, 3).map(([, , cause, pod]) => `${markup(pod)} (${markup(cause)})`);
    rows.push(`${evicted(lost.length)}: ${names.join(", ")}${lost.length > 3 ? ", …" : ""}`);
  }
  return rows.slice(0, 5).map((row) => `<div class="happening">${row}</div>`).join("");
}
