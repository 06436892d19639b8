/* The quotas of a run, in the form that the tree and the charts use. A quota is an index; 0 is
   the root. */

import {remembered} from "../base/lists.js";
import {state} from "../base/state.js";
import {bytes, inBytes, number} from "../base/text.js";
/** @import {QuotaAmounts, QuotaState, QuotaSteps} from "./quotas.d.ts" */
/** @import {Quotas, StepName} from "../data.d.ts" */

/**
 * The reader's choices in this section, which begin anew for each run.
 * @type {(quotas: Quotas) => QuotaState}
 */
export function quotaState(quotas) {
  if (!state.quota) {
    state.quota = {chosen: quotas.chosen, resource: quotas.resource, when: "mean", time: quotas.last,
      open: new Set([0, ...ancestorsOf(quotas, quotas.chosen)]), filter: "", focused: quotas.chosen, scroll: 0,
      sort: {column: 0, descending: false}};
  }
  return state.quota;
}

const childrenByQuota = remembered((/** @type {Quotas} */ quotas) => {
  /** @type {number[][]} */
  const all = quotas.names.map(() => []);
  quotas.parents.forEach((parent, child) => { if (parent >= 0) all[parent].push(child); });
  return all;
});

/**
 * The children of a quota in the tree at the end.
 * @type {(quotas: Quotas, q: number) => number[]}
 */
export const childrenOf = (quotas, q) => childrenByQuota(quotas)[q];

/**
 * The quotas from the parent up to the root, each once, even if the file has a cycle.
 * @type {(quotas: Quotas, q: number) => number[]}
 */
export function ancestorsOf(quotas, q) {
  /** @type {number[]} */
  const path = [];
  for (let at = quotas.parents[q]; at >= 0 && !path.includes(at); at = quotas.parents[at]) {
    path.push(at);
  }
  return path;
}

/** @type {(quotas: Quotas, q: number) => Set<number>} */
export function withDescendants(quotas, q) {
  const all = new Set([q]);
  for (const one of all) {
    childrenOf(quotas, one).forEach((child) => all.add(child));
  }
  return all;
}

/** @type {(quotas: Quotas, q: number, time: number) => number} */
export function parentAt(quotas, q, time) {
  let parent = quotas.parents[q];
  let first = true;
  for (const [moved, from, to] of quotas.moves) {
    if (moved === q && (first || from <= time)) {
      parent = to;
      first = false;
    }
  }
  return parent;
}

/**
 * All quotas that were ever children of a parent, in the order of the tree.
 * @type {(quotas: Quotas, parent: number) => number[]}
 */
export function everChildrenOf(quotas, parent) {
  const all = new Set(childrenOf(quotas, parent));
  quotas.moves.forEach(([q, , to]) => { if (to === parent) all.add(q); });
  return [...all].sort((a, b) => a - b);
}

/**
 * {time, min, max, runtime, request, used} with one value for each time; null if the page does not
 * have them.
 * @type {(quotas: Quotas, q: number, r: number) => QuotaSteps | null}
 */
export function quotaSteps(quotas, q, r) {
  const kept = quotas.series[q]?.[r];
  if (!kept) return null;
  const column = (/** @type {StepName} */ name) => {
    const values = kept[name];
    return Array.isArray(values) ? values : kept.time.map(() => values);
  };
  return {time: kept.time, min: column("min"), max: column("max"), runtime: column("runtime"), request: column("request"), used: column("used")};
}

/**
 * The index of the step that holds at a time; -1 before the first one.
 * @type {(times: number[], time: number) => number}
 */
export function stepIndex(times, time) {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle] <= time) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/**
 * {used, min, max} of a quota: the mean, the value at the end, or the value at a time.
 * @type {(quotas: Quotas, q: number, wanted: Pick<QuotaState, "resource" | "when" | "time">) => QuotaAmounts}
 */
export function quotaAmounts(quotas, q, {resource, when, time}) {
  const amounts = amountsAt(quotas, q, {resource, when, time});
  return q === 0 && amounts.max == null ? {...amounts, max: quotas.total[resource]} : amounts;
}

/** @type {(quotas: Quotas, q: number, wanted: Pick<QuotaState, "resource" | "when" | "time">) => QuotaAmounts} */
function amountsAt(quotas, q, {resource, when, time}) {
  const figures = quotas.figures[resource];
  if (when === "mean") return {used: figures.used[q], min: figures.min[q], max: figures.max[q]};
  if (when === "last") return {used: figures.usedLast[q], min: figures.minLast[q], max: figures.maxLast[q]};
  const steps = quotaSteps(quotas, q, resource);
  const at = steps ? stepIndex(steps.time, time) : -1;
  return !steps || at < 0 ? {used: null, min: null, max: null} : {used: steps.used[at], min: steps.min[at], max: steps.max[at]};
}

/**
 * Amounts times hours, such as 85.3 core-hours or 2.1 TiB-hours.
 * @type {(resource: string, hours: number) => string}
 */
export function resourceHours(resource, hours) {
  return inBytes(resource) ? `${bytes(hours)}-hours` : `${number(Number(hours.toPrecision(4)))} ${resource}-hours`;
}

/**
 * The evictions of some quotas: {pods, lost, causes: {cause: pods}}.
 * @param {Quotas} quotas
 * @param {Set<number>} some
 */
export function evictionsOf(quotas, some) {
  /** @type {{pods: number; lost: number; causes: Record<string, number>}} */
  const sum = {pods: 0, lost: 0, causes: {}};
  for (const [q, cause, pods, lost] of quotas.evictions.counts) {
    if (some.has(q)) {
      sum.pods += pods;
      sum.lost += lost;
      sum.causes[cause] = (sum.causes[cause] ?? 0) + pods;
    }
  }
  return sum;
}

/** @param {Record<string, number>} causes */
export const causesText = (causes) => Object.entries(causes).map(([cause, pods]) => `${number(pods)} ${cause}`).join(", ");

/**
 * The changes of some quotas; for the root, also those of names that are in no sample.
 * @param {Quotas} quotas
 * @param {Set<number>} some
 */
export function changesOf(quotas, some) {
  const names = new Set([...some].map((q) => quotas.names[q]));
  return quotas.changes.marks.filter(([, , name]) => some.has(0) || names.has(name));
}

/**
 * The quota whose children are shown: the chosen one, or its parent if it has no children.
 * @type {(quotas: Quotas, chosen: number) => number}
 */
export function parentShown(quotas, chosen) {
  return childrenOf(quotas, chosen).length > 0 || chosen === 0 ? chosen : quotas.parents[chosen];
}
