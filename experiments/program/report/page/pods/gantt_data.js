/* Pods over time: the rows that each pod has on its server, from the packed columns of the data. */

import {remembered} from "../base/lists.js";
import {amount, plural} from "../base/text.js";
import {unpacked} from "../base/unpack.js";
import {Lanes, stretches} from "./lanes.js";
/** @import {ColourKind, ColourWay, Colouring, GanttModel, GanttPods, GanttServer, Piece} from "./pods.d.ts" */
/** @import {GanttColumn, GanttData} from "../data.d.ts" */

/** @type {(gantt: GanttData) => GanttPods} */
function ganttPods(gantt) {
  const n = gantt.pods;
  const column = (/** @type {GanttColumn} */ name) => unpacked(gantt.columns[name], n);
  const [start, length, wait, stem, numbers] = [column("start"), column("length"), column("wait"), column("stem"), column("number")];
  /** @type {Map<number, number>} */
  const before = new Map();
  /** @type {string[]} */
  const names = new Array(n);
  const end = new Float64Array(n);
  const submit = new Float64Array(n);
  for (let i = 0; i < n; ++i) {
    if (numbers[i] < -1e12) {
      names[i] = gantt.stems[stem[i]];
    } else {
      const number = (before.get(stem[i]) ?? 0) + numbers[i];
      before.set(stem[i], number);
      names[i] = gantt.stems[stem[i]] + number;
    }
    submit[i] = (start[i] - wait[i]) * gantt.tick;
    end[i] = length[i] === 0 ? Infinity : (start[i] + length[i] - 1) * gantt.tick;
    start[i] *= gantt.tick;
  }
  return {start, names, submit, end, server: column("server"), gpus: column("gpus"), highGpus: column("highGpus"),
    size: column("size").map((v) => v / 1000), group: column("group"), quota: column("quota")};
}

/**
 * Whether a pod holds this GPU of its server.
 * @type {(pods: GanttPods, pod: number, g: number) => boolean}
 */
export const holdsGpu = (pods, pod, g) => (((g < 32 ? pods.gpus[pod] : pods.highGpus[pod]) >>> (g % 32)) & 1) === 1;

/**
 * The pieces of one server: the adjacent rows that each pod occupies. Rows count from the top of
 * the server.
 * @type {(pods: GanttPods, list: number[], gpus: number, ofGpus: boolean) => Omit<GanttServer, "name" | "place">}
 */
function ganttServer(pods, list, gpus, ofGpus) {
  const lanes = Array.from({length: gpus}, () => new Lanes());
  const rest = new Lanes();
  /**
   * For each pod in turn, its lane on each of its GPUs, or its lanes below them.
   * @type {{lanes: number[]; below: boolean}[]}
   */
  const taken = [];
  for (const pod of list) {
    const [start, end] = [pods.start[pod], pods.end[pod]];
    const own = lanes.filter((_, g) => holdsGpu(pods, pod, g)).map((lane) => lane.one(start, end));
    if (own.length > 0) {
      taken.push({lanes: own, below: false});
      continue;
    }
    const size = pods.size[pod];
    const count = ofGpus && gpus === 0 && Number.isInteger(size) && size <= 64 ? Math.max(1, size) : 1;
    taken.push({lanes: rest.take(start, end, count), below: true});
  }
  const restHeight = Math.min(8, rest.until.length);
  const scale = rest.until.length > 0 ? restHeight / rest.until.length : 0;
  /** @type {Piece[]} */
  const pieces = [];
  list.forEach((pod, i) => {
    const {lanes: own, below} = taken[i];
    if (below) {
      for (const [first, count] of stretches(own)) pieces.push([pod, gpus + first * scale, count * scale]);
      return;
    }
    /**
     * The piece that the next GPU may extend.
     * @type {Piece | null}
     */
    let whole = null;
    let next = 0;
    for (let g = 0; g < gpus; ++g) {
      if (!holdsGpu(pods, pod, g)) continue;
      const lane = own[next++];
      const parts = lanes[g].until.length;
      if (parts > 1) pieces.push([pod, g + lane / parts, 1 / parts]);
      else if (whole && whole[1] + whole[2] === g) ++whole[2];
      else pieces.push(whole = [pod, g, 1]);
    }
  });
  return {gpus, height: Math.max(1, gpus + restHeight), pieces};
}

/** @type {(gantt: GanttData) => GanttModel} */
function makeModel(gantt) {
  const pods = ganttPods(gantt);
  const count = gantt.servers.names.length;
  const gpus = unpacked(gantt.servers.gpus, count);
  const places = unpacked(gantt.servers.placeOf, count);
  /** @type {number[][]} */
  const lists = Array.from({length: count}, () => []);
  for (let i = 0; i < gantt.pods; ++i) lists[pods.server[i]].push(i);
  const servers = lists.map((list, s) => ({
    ...ganttServer(pods, list, gpus[s], /gpu/.test(gantt.resource)),
    name: gantt.servers.names[s],
    place: gantt.servers.places[places[s]],
  }));
  const endless = pods.end.some((end) => end === Infinity);
  const end = (/** @type {number} */ time) => (time > 0 ? time * (endless ? 1.02 : 1) : 1);
  return {gantt, pods, servers, first: end(gantt.until), last: end(gantt.last)};
}

/** Everything that the picture of a run needs. */
export const ganttModel = remembered(makeModel);

/**
 * The ways in which pods can be coloured: {title, make}. `make` returns {kinds: [{text, colour}],
 * of: kind by pod}, with the kinds of most pods first.
 * @type {(model: GanttModel) => ColourWay[]}
 */
export function ganttColours(model) {
  const {gantt, pods} = model;
  /** @type {ColourKind[]} */
  const cycle = Array.from({length: 12}, (_, k) => ({text: "", colour: `pod-${k + 1}`}));
  /** @type {(numbers: Float64Array, text: (number: number) => string) => Colouring} */
  const ranked = (numbers, text) => {
    /** @type {Map<number, number>} */
    const counts = new Map();
    numbers.forEach((v) => counts.set(v, (counts.get(v) ?? 0) + 1));
    const order = [...counts.keys()].sort((a, b) => (counts.get(b) ?? 0) - (counts.get(a) ?? 0));
    const place = new Map(order.map((v, k) => [v, Math.min(k, 6)]));
    const kinds = order.slice(0, 7).map((v, k) => ({text: k === 6 && order.length > 7 ? `${order.length - 6} others` : text(v), colour: `series-${k + 1}`}));
    return {kinds, of: numbers.map((v) => place.get(v) ?? 0)};
  };
  /** @type {ColourWay[]} */
  const ways = [];
  if (gantt.quotas.length > 1) ways.push({title: "quota", make: () => ranked(pods.quota, (q) => gantt.quotas[q] || "no quota")});
  const sizes = [...new Set(pods.size)].sort((a, b) => a - b);
  if (sizes.length > 1) {
    const unit = /gpu/.test(gantt.resource) ? "GPU" : gantt.resource;
    const bounds = sizes.length <= 8 ? sizes : [0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875, 1].map((q) => sizes[Math.ceil(q * sizes.length) - 1]);
    const shown = (/** @type {number} */ v) => (unit === "GPU" ? plural(v, "GPU") : `${amount(gantt.resource, v)} ${unit}`);
    ways.push({title: "size", make: () => ({kinds: bounds.map((v, k) => ({text: (sizes.length <= 8 ? "" : "up to ") + shown(v), share: k / (bounds.length - 1)})),
      of: pods.size.map((v) => bounds.findIndex((bound) => v <= bound))})});
  }
  if (gantt.groups.length > 1) {
    ways.push({title: "group", make: () => ({kinds: [...cycle, {text: "no group", colour: "series-7"}], of: pods.group.map((g) => (g < 0 ? 12 : g % 12))})});
  }
  ways.push({title: "pod", make: () => ({kinds: cycle, of: Float64Array.from({length: gantt.pods}, (_, i) => i % 12)})});
  return ways;
}
