/* What a sweep's figures show, and the address that holds it. */

import {sweep} from "../base/state.js";
import {otherAxes} from "./sweep_data.js";
/** @import {Role, SweepState} from "./sweep.d.ts" */

/** @type {SweepState} */
export const sweepView = {metric: "", x: "", by: null, panel: null, where: {}, filter: "", sort: "", page: 0, names: "", scales: "", against: 0, target: ""};
/** @param {string} text */
const quotedIn = (text) => encodeURIComponent(text).replace(/%20/g, "+");

/** The address of the current view, so that a link shows the same. */
export function sweepHash() {
  const {metric, x, by, panel, where, filter, sort, page, names, scales, against, target} = sweepView;
  const parts = [["metric", metric], ["x", x], ["by", by ?? ""], ["panel", panel ?? ""],
    ...Object.entries(where).map(([name, value]) => [`where.${name}`, value])];
  for (const [key, value] of [["filter", filter], ["sort", sort], ["page", page > 0 ? String(page + 1) : ""], ["names", names], ["scales", scales], ["target", target === sweep.target ? "" : target],
    ["against", against > 0 ? String(against) : ""]]) {
    if (value !== "") parts.push([key, value]);
  }
  return `#${parts.map(([key, value]) => `${quotedIn(key)}=${quotedIn(value)}`).join("&")}`;
}

export function keepSweepHash() {
  history.replaceState(null, "", sweepHash());
}

let redraw = () => {};

/**
 * Sets the function that redraws the figures when the view changes.
 * @param {() => void} draw
 */
export function whenChanged(draw) {
  redraw = draw;
}

/** Keeps the view in the address and redraws the figures. */
export function changed() {
  keepSweepHash();
  redraw();
}

/** @type {("filter" | "sort" | "names" | "scales")[]} */
const keptTexts = ["filter", "sort", "names", "scales"];

/**
 * Applies the address as far as this sweep has the named things. The rest stays as it is when the
 * page opens.
 */
export function readSweepHash() {
  const wanted = new URLSearchParams(location.hash.slice(1));
  const {defaults} = sweep;
  /** @type {<Otherwise>(text: string | null, names: string[], otherwise: Otherwise) => string | Otherwise} */
  const oneOf = (text, names, otherwise) => (text !== null && names.includes(text) ? text : otherwise);
  const axes = sweep.axes.map((a) => a.name);
  /** @type {(key: string, otherwise: string | null) => string | null} */
  const axisOr = (key, otherwise) => (wanted.get(key) === "" ? null : oneOf(wanted.get(key), axes, otherwise));
  const metrics = sweep.metrics.map((m) => m.name);
  sweepView.metric = oneOf(wanted.get("metric"), metrics, oneOf(defaults.metric, metrics, metrics[0]));
  sweepView.x = axisOr("x", defaults.x) ?? defaults.x;
  sweepView.by = axisOr("by", defaults.by);
  sweepView.panel = axisOr("panel", defaults.panel);
  sweepView.where = {};
  for (const a of sweep.axes) {
    const value = wanted.get(`where.${a.name}`);
    if (value !== null && a.values.includes(value)) sweepView.where[a.name] = value;
  }
  for (const key of keptTexts) sweepView[key] = wanted.get(key) ?? "";
  sweepView.target = wanted.get("target") ?? sweep.target;
  sweepView.against = Number(wanted.get("against")) || 0;
  sweepView.page = Math.max(0, (Number(wanted.get("page")) || 1) - 1);
  if (sweepView.by === sweepView.x) sweepView.by = null;
  if ([sweepView.x, sweepView.by].includes(sweepView.panel)) sweepView.panel = null;
}

/** @type {Role[]} */
const roleNames = ["x", "by", "panel"];

/**
 * Gives an axis a role. Its previous role, if any, goes to the axis that loses this one.
 * @type {(role: Role, name: string | null) => void}
 */
export function setRole(role, name) {
  const before = sweepView[role];
  /** @type {Record<Role, string | null>} */
  const roles = {x: sweepView.x, by: sweepView.by, panel: sweepView.panel};
  for (const other of roleNames) {
    if (other !== role && name !== null && roles[other] === name) roles[other] = before;
  }
  roles[role] = name;
  if (roles.x === null) {
    const free = otherAxes([roles.by, roles.panel]);
    const giver = role === "by" ? "panel" : "by";
    if (free.length > 0) {
      roles.x = free[0].name;
    } else {
      roles.x = roles[giver];  // with only two axes, the figures use one of them
      roles[giver] = null;
    }
  }
  Object.assign(sweepView, roles);
}

/**
 * How the axes that a figure does not draw are treated: "size 30; averaged over seeds (5 values)".
 * @param {(string | null)[]} drawn
 */
export function sweepRest(drawn) {
  const rest = otherAxes(drawn);
  if (rest.length === 0) return "";
  return rest.map((a) => (a.name in sweepView.where ? `${a.name} ${sweepView.where[a.name]}`
    : `averaged over ${a.name} (${a.values.length} values)`)).join("; ");
}

/**
 * The filters that apply to a figure: those of axes that it does not draw.
 * @param {(string | null)[]} drawn
 */
export const whereBut = (drawn) => Object.fromEntries(Object.entries(sweepView.where).filter(([name]) => !drawn.includes(name)));
