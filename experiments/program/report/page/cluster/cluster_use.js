/* The use of a cluster: the numbers behind its pictures. */

import {el} from "../base/dom.js";
import {zeros} from "../base/lists.js";
import {amount, number, percent, plural} from "../base/text.js";
/** @import {Cluster, ClusterShape, Members} from "../data.d.ts" */
/** @import {ClusterUse} from "./cluster.d.ts" */

/** @type {(column: number | number[], i: number) => number} */
export const valueAt = (column, i) => (Array.isArray(column) ? column[i] : column);

/**
 * Whether anything was in use before the run.
 * @param {ClusterShape} cluster
 */
const anyBackground = (cluster) => cluster.background.some((amounts) => (Array.isArray(amounts) ? amounts : [amounts]).some((v) => v > 0));

/**
 * Whether nothing was in use before the run and the places of pods were not recorded, so that there
 * is nothing to draw.
 * @param {Cluster} cluster
 */
export const nothingOn = (cluster) => cluster.views.length === 0 && !anyBackground(cluster);

/**
 * The amounts of the chosen resource and view, by cell.
 * @type {(cluster: Cluster, viewIndex: number, resource: number) => ClusterUse}
 */
export function clusterUse(cluster, viewIndex, resource) {
  const view = cluster.views[viewIndex];
  const n = cluster.names.length;
  const members = zeros(n);
  const group = zeros(n);
  const others = zeros(n);
  const otherAmounts = zeros(n);
  const spread = (/** @type {Members} */ some, /** @type {number[]} */ counts, /** @type {number[]} */ amounts) => some.cells.forEach((cell, i) => {
    counts[cell] = some.counts[i];
    amounts[cell] = some.amounts ? valueAt(some.amounts[resource], i) : 0;
  });
  if (view) {
    spread(view.members, members, group);
    spread(view.others, others, otherAmounts);
  }
  return {
    view,
    known: Boolean(view && view.members.amounts),
    members,
    group,
    others,
    otherAmounts,
    capacity: (i) => valueAt(cluster.capacity[resource], i),
    /** The amount in use before the run, and the amount that pods outside of the view take. */
    background: (i) => valueAt(cluster.background[resource], i) + otherAmounts[i],
    backgroundName: [anyBackground(cluster) ? "what was in use before" : "", view && view.others.cells.length > 0 ? "other pods" : ""].filter(Boolean).join(" and ") || "other work",
    resource: cluster.resources[resource],
  };
}

/**
 * The domains above a cell, top-down.
 * @type {(cluster: ClusterShape, cell: number) => number[]}
 */
export function pathOf(cluster, cell) {
  /** @type {number[]} */
  const path = [];
  let domain = cluster.parents[cell];
  for (let level = cluster.levels.length - 1; level >= 0; --level) {
    path.unshift(domain);
    domain = cluster.domains[level].parents[domain];
  }
  return path;
}

/** @type {(cluster: ClusterShape, use: ClusterUse) => HTMLElement | null} */
export const withoutKey = (cluster, use) => (cluster.names.every((_, i) => use.capacity(i) > 0) ? null
  : el("li", {}, el("span", {class: "chip without"}), el("span", {}, `Crossed out: has no ${use.resource}.`)));

/** @type {(cluster: Cluster, use: ClusterUse) => string} */
export function clusterSummary(cluster, use) {
  let capacity = 0;
  let background = 0;
  let full = 0;
  let idle = 0;
  for (let i = 0; i < cluster.names.length; ++i) {
    capacity += use.capacity(i);
    background += use.background(i);
    full += use.capacity(i) > 0 && use.background(i) >= use.capacity(i) ? 1 : 0;
    idle += use.capacity(i) > 0 && use.background(i) === 0 ? 1 : 0;
  }
  const parts = [background === 0
    ? `${plural(cluster.servers, "server")}; of ${use.resource} they have ${amount(use.resource, capacity)}`
    : `${plural(cluster.servers, "server")}; ${use.backgroundName} ${use.backgroundName.includes("pods") || use.backgroundName.includes(" and ") ? "take" : "takes"} ` +
    `${percent(capacity > 0 ? background / capacity : 0)} of ${use.resource}`];
  if (cluster.serversPerCell) {
    parts[0] += `; each cell is one ${cluster.leaf}`;
  } else if (background > 0) {
    parts[0] += `: it fills ${plural(full, cluster.leaf)} and leaves ${number(idle)} untouched`;
  }
  if (use.view) {
    const cells = use.view.members.cells;
    const used = cluster.levels.map((level, l) => {
      const count = new Set(cells.map((c) => pathOf(cluster, c)[l])).size;
      return plural(count, level);
    });
    used.push(plural(cells.length, cluster.leaf));
    parts.push(`${plural(use.view.count, cluster.member)} of ${use.view.label} ` +
      `${use.view.count === 1 ? "is" : "are"} on ${used.reverse().join(", in ")}`);
  }
  return parts.join(". ") + ".";
}
