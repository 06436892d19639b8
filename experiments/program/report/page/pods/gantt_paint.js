/* Pods over time: draws the visible part on the canvas. */

import {duration} from "../base/text.js";
import {colour, fontFamily} from "../base/theme.js";
import {luminance, mixed} from "../figures/colours.js";
/** @import {Gantt} from "./gantt.js" */
/** @import {GanttScene} from "./gantt_scene.js" */
/** @import {Pen} from "./pods.d.ts" */

/** The room that the picture leaves for names, times and the bars at its edges. */
export const ganttSpace = {left: 118, top: 24, bar: 14};

/**
 * The smallest round period that is at least this long.
 * @type {(least: number) => number}
 */
function timeStep(least) {
  const steps = [1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 432000, 864000];
  const power = 10 ** Math.floor(Math.log10(least));
  return (least < 1 || least > 864000 ? [1, 2, 5, 10].map((m) => m * power).find((s) => s >= least) : steps.find((s) => s >= least)) ?? least;
}

/** @type {(chart: GanttScene, paint: Pen) => void} */
export function paintServers(chart, paint) {
  const {pods} = chart.model;
  const {from, to} = chart.view;
  const [ground, pale, paper, ink] = ["busy-none", "line", "paper", "ink"].map(colour);
  const inks = chart.way.kinds.map((kind) => (kind.colour ? colour(kind.colour) : mixed(colour("busy-some"), colour("busy-full"), kind.share ?? 0)));
  const perRow = chart.high / (chart.view.bottom - chart.view.top);
  const perSecond = chart.wide / (to - from);
  const space = perRow > 4 ? 1 : 0;
  const [first, last] = chart.visible();
  chart.drawn = 0;
  /** @type {[number, number, number, number][]} */
  const edge = [];
  for (let s = first; s <= last; ++s) {
    const top = chart.y(chart.tops[s]);
    paint.fillStyle = ground;
    paint.fillRect(chart.left, top, chart.wide, chart.servers[s].height * perRow);
    for (const piece of chart.servers[s].pieces) {
      const pod = piece[0];
      const count = piece[2];
      if (pods.end[pod] < from || pods.start[pod] > to) continue;
      const x0 = Math.max(chart.left - 2, chart.left + (pods.start[pod] - from) * perSecond);
      const x1 = Math.min(chart.left + chart.wide + 2, chart.left + (pods.end[pod] - from) * perSecond);
      const y = top + piece[1] * perRow;
      const height = Math.max(0.2, count * perRow - Math.min(space, count * perRow * 0.3));
      const width = Math.max(0.6, x1 - x0 - (x1 - x0 > 4 ? 1 : 0));
      paint.fillStyle = chart.match && !chart.match[pod] ? pale : inks[chart.way.of[pod]];
      paint.fillRect(x0, y, width, height);
      ++chart.drawn;
      if (pod === chart.picked) edge.push([x0, y, width, height]);
      if (height >= 11 && width >= 46 && !(chart.match && !chart.match[pod])) paintName(chart, paint, pod, x0, y, width, height);
    }
  }
  for (const [x, y, width, height] of edge) {
    paint.lineWidth = 4;
    paint.strokeStyle = paper;
    paint.strokeRect(x, y, width, height);
    paint.lineWidth = 2;
    paint.strokeStyle = ink;
    paint.strokeRect(x, y, width, height);
  }
}

/**
 * @param {GanttScene} chart
 * @param {Pen} paint
 * @param {number} pod
 * @param {number} x
 * @param {number} y
 * @param {number} width
 * @param {number} height
 */
function paintName(chart, paint, pod, x, y, width, height) {
  const name = chart.model.pods.names[pod];
  const room = Math.floor((width - 8) / 6.4);
  const ground = String(paint.fillStyle);
  const strong = /^#|^rgb/.test(ground) && luminance(ground) < 0.4;
  paint.fillStyle = strong ? "#ffffff" : "#10151a";
  paint.font = `11px ${chart.font ||= fontFamily()}`;
  paint.textBaseline = "middle";
  paint.textAlign = "left";
  if (name.length <= room) paint.fillText(name, Math.max(x, chart.left) + 4, y + height / 2 + 0.5);
}

/** @type {(chart: GanttScene, paint: Pen) => void} */
export function paintTimes(chart, paint) {
  const {from, to} = chart.view;
  const step = timeStep((to - from) / Math.max(2, chart.wide / 110));
  paint.font = `12px ${chart.font ||= fontFamily()}`;
  paint.textBaseline = "middle";
  paint.textAlign = "center";
  for (let i = Math.ceil(from / step); i * step <= to; ++i) {
    const x = Math.round(chart.x(i * step)) + 0.5;
    paint.strokeStyle = colour("line");
    paint.lineWidth = 1;
    paint.beginPath();
    paint.moveTo(x, ganttSpace.top - 5);
    paint.lineTo(x, ganttSpace.top);
    paint.stroke();
    paint.fillStyle = colour("muted");
    const text = duration(Number((i * step).toPrecision(12)));
    const half = paint.measureText(text).width / 2;
    if (x - half > chart.left - 20 && x + half < chart.width) paint.fillText(text, x, ganttSpace.top - 13);
  }
}

/**
 * Draws the servers' names left of their rows, and the numbers of GPUs if there is room.
 * @param {GanttScene} chart
 * @param {Pen} paint
 */
export function paintNames(chart, paint) {
  const [first, last] = chart.visible();
  const perRow = chart.high / (chart.view.bottom - chart.view.top);
  paint.font = `12px ${chart.font ||= fontFamily()}`;
  paint.textBaseline = "middle";
  let below = ganttSpace.top - 20;
  for (let s = first; s <= last; ++s) {
    const server = chart.servers[s];
    const top = Math.max(chart.y(chart.tops[s]), ganttSpace.top);
    const bottom = Math.min(chart.y(chart.tops[s] + server.height), ganttSpace.top + chart.high);
    const middle = Math.max(ganttSpace.top + 7, Math.min((top + bottom) / 2, chart.y(chart.tops[s]) + Math.max(7, perRow * server.height / 2)));
    if (middle < below + 14 || bottom - top < 1) continue;
    const numbers = perRow >= 11 && server.gpus > 0;
    paint.textAlign = "right";
    if (numbers) {
      paint.fillStyle = colour("muted");
      for (let g = 0; g < server.gpus; ++g) {
        const y = chart.y(chart.tops[s] + g + 0.5);
        if (y > ganttSpace.top + 4 && y < ganttSpace.top + chart.high - 4) paint.fillText(String(g), chart.left - 5, y);
      }
    }
    paint.fillStyle = colour("ink");
    const room = Math.floor((chart.left - (numbers ? 24 : 8)) / 6.8);
    const name = server.name.length > room ? `…${server.name.slice(1 - room)}` : server.name;
    paint.fillText(name, chart.left - (numbers ? 20 : 6), middle);
    below = middle;
  }
}

/**
 * Shows the place of the window in the whole: a bar at the bottom for the time, and one at the
 * right for the rows.
 * @param {Gantt} chart
 * @param {CanvasRenderingContext2D} paint
 */
export function paintBars(chart, paint) {
  const {from, to, top, bottom} = chart.view;
  const [ground, thumb] = [colour("busy-none"), colour("busy-some")];
  const [x, y, size] = [chart.left + chart.wide + 4, ganttSpace.top + chart.high + 4, ganttSpace.bar - 4];
  paint.fillStyle = ground;
  paint.fillRect(chart.left, y, chart.wide, size);
  paint.fillRect(x, ganttSpace.top, size, chart.high);
  paint.fillStyle = thumb;
  const across = Math.max(12, chart.wide * (to - from) / chart.model.last);
  paint.fillRect(chart.left + Math.min(chart.wide - across, chart.wide * from / chart.model.last), y, across, size);
  const down = Math.max(12, chart.high * (bottom - top) / chart.total);
  paint.fillRect(x, ganttSpace.top + Math.min(chart.high - down, chart.high * top / chart.total), size, down);
}
