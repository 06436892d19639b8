/* The cluster over time: how much of each server or domain is in use at any moment. */

import {zeros} from "../base/lists.js";
import {amount, markup, number, percent} from "../base/text.js";
import {unpacked} from "../base/unpack.js";
import {pathOf, valueAt} from "./cluster_use.js";
/** @import {ClusterShape, Film, FilmPart} from "../data.d.ts" */
/** @import {FilmUse} from "./cluster.d.ts" */

/** @type {WeakMap<FilmPart, Uint8Array>} */
const knownFrames = new WeakMap();

/**
 * The levels of all cells at all moments, from the packed changes, one moment after the other.
 * @param {Film} film
 * @param {FilmPart} part
 */
function filmFrames(film, part) {
  const known = knownFrames.get(part);
  if (known) return known;
  const changes = unpacked(part.values, part.count);
  const now = new Uint8Array(film.cells);
  const frames = new Uint8Array(film.cells * film.moments);
  let next = 0;
  let wait = changes.length > 0 ? changes[0] : Infinity;
  for (let m = 0; m < film.moments; ++m) {
    for (let c = 0; c < film.cells; ++c, --wait) {
      if (wait !== 0) continue;
      now[c] += changes[next + 1];
      next += 2;
      wait = (next < changes.length ? changes[next] : Infinity) + 1;
    }
    frames.set(now, m * film.cells);
  }
  knownFrames.set(part, frames);
  return frames;
}

/** @type {(film: Film, m: number) => number} */
export const momentTime = (film, m) => (film.last * m) / (film.moments - 1);

/** @type {(count: number, of: (i: number) => number) => number} */
const sumOver = (count, of) => {
  let sum = 0;
  for (let i = 0; i < count; ++i) sum += of(i);
  return sum;
};

/**
 * The data that clusterOption() needs about cells, at the moment that is shown.
 * @param {ClusterShape} cluster
 * @param {Film} film
 * @param {FilmPart} part
 * @param {() => number} now the moment that is shown
 * @returns {FilmUse}
 */
export function filmUse(cluster, film, part, now) {
  const frames = filmFrames(film, part);
  const none = zeros(film.cells);
  const resource = part.resource == null ? "pods" : cluster.resources[part.resource];
  const capacity = (/** @type {number} */ i) => (part.resource == null ? part.most ?? 1 : valueAt(cluster.capacity[part.resource], i));
  const share = (/** @type {number} */ i, m = now()) => frames[m * film.cells + i] / film.levels;
  const whole = sumOver(film.cells, capacity);
  return {view: null, known: false, members: none, group: none, others: none, otherAmounts: none, resource, capacity, share,
    background: (i) => share(i) * capacity(i), backgroundName: "in use",
    /** The use of all cells together. */
    total: (m) => (whole > 0 ? sumOver(film.cells, (i) => share(i, m) * capacity(i)) / whole : 0)};
}

/** @type {(cluster: ClusterShape, use: FilmUse, cell: number) => string} */
export function filmTooltip(cluster, use, cell) {
  const line = (/** @type {string} */ name, /** @type {string} */ value) => `<tr><td class="faint">${markup(name)}</td><td class="number">${markup(value)}</td></tr>`;
  const path = pathOf(cluster, cell);
  return `<b>${markup(cluster.names[cell])}</b><table class="tip">` +
    cluster.levels.map((level, l) => line(level, cluster.domains[l].names[path[l]])).join("") +
    (cluster.serversPerCell ? line("servers", number(cluster.serversPerCell[cell])) : "") +
    line(`${use.resource} in use`, `${amount(use.resource, Number(use.background(cell).toPrecision(3)))} of ` +
      `${amount(use.resource, use.capacity(cell))} (${percent(use.share(cell))})`) + "</table>";
}

/**
 * The busiest moment, which is shown first.
 * @type {(film: Film, use: FilmUse) => number}
 */
export function filmBest(film, use) {
  let best = 0;
  for (let m = 1; m < film.moments; ++m) {
    if (use.total(m) > use.total(best)) best = m;
  }
  return best;
}
