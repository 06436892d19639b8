/* Pods over time on paper: as many servers as there is room for. */

import {duration, number, plural} from "../base/text.js";
import {colour} from "../base/theme.js";
import {mixed} from "../figures/colours.js";
import {ganttColours, ganttModel} from "../pods/gantt_data.js";
import {ganttSpace, paintNames, paintServers, paintTimes} from "../pods/gantt_paint.js";
import {GanttScene} from "../pods/gantt_scene.js";
import {textWidth} from "./metric.js";
import {Pen} from "./pen.js";
/** @import {ColourKind, GanttModel, GanttServer} from "../pods/pods.d.ts" */
/** @import {GanttData} from "../data.d.ts" */
/** @import {Key, Panel} from "./given.d.ts" */

const numberedRows = 26;  // of so few rows, each is high enough for the number of its GPU
const piecesMax = 20_000;  // with more, the file becomes too large to open

/**
 * The first servers, as far as their rows and bars fit; at least one.
 * @type {(servers: GanttServer[], rowsMax: number) => GanttServer[]}
 */
function shownServers(servers, rowsMax) {
  let [rows, pieces] = [0, 0];
  const end = servers.findIndex((server, i) => {
    rows += server.height + 0.3;
    pieces += server.pieces.length;
    return i > 0 && (rows > rowsMax + 1 || pieces > piecesMax);
  });
  return end < 0 ? servers : servers.slice(0, end);
}

/** @type {(kind: ColourKind) => string} */
const inkOf = ({colour: name, share}) => (name ? colour(name) : mixed(colour("busy-some"), colour("busy-full"), share ?? 0));

/**
 * The legend: names of colours, or what a colour stands for.
 * @type {(model: GanttModel) => Key[]}
 */
export function ganttKeys(model) {
  const [{title, make}] = ganttColours(model);
  const {kinds} = make();
  const named = kinds.filter(({text}) => text !== "").map((kind) => ({colours: [inkOf(kind)], text: kind.text}));
  return named.length === kinds.length ? named : [...named, {colours: kinds.slice(0, 4).map(inkOf), text: `a colour is a ${title}; it is used again`}];
}

/** @type {(gantt: GanttData, window: [from: number, to: number | null], rowsMax: number, name: string) => Panel} */
export function ganttPanel(gantt, [from, to], rowsMax, name) {
  const model = ganttModel(gantt);
  const servers = shownServers(model.servers, rowsMax);
  const of = servers.length < model.servers.length ? `${number(servers.length)} of ${plural(model.servers.length, gantt.leaf)}` : plural(servers.length, gantt.leaf);
  const until = to ?? model.first;
  return {title: `${name === "" ? "" : `${name}: `}${of}, ${duration(from)} to ${duration(Number(until.toPrecision(5)))}`, paint: (width) => {
    const scene = new GanttScene(model, ganttColours(model)[0].make());
    scene.setServers(servers);
    scene.view = {from, to: Math.max(until, from + 1e-9), top: 0, bottom: scene.total};
    scene.width = width;
    scene.left = Math.min(180, 36 + Math.max(...servers.map((server) => textWidth(server.name, 12))));
    scene.wide = width - scene.left - 8;
    scene.high = scene.total * (scene.total <= numberedRows ? 14 : 10);
    const high = ganttSpace.top + scene.high;
    const bars = new Pen();
    paintServers(scene, bars);
    const pen = new Pen();
    pen.svg = `<svg x="${scene.left}" width="${scene.wide}" height="${high}" viewBox="${scene.left} 0 ${scene.wide} ${high}">${bars.svg}</svg>`;
    paintTimes(scene, pen);
    paintNames(scene, pen);
    return {svg: pen.svg, height: high};
  }};
}
