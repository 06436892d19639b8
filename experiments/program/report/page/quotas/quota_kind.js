/* What differs between kinds of quotas: their words, what they lend, and what became of their pods.
   A scheduler brings its own kind; all other quotas are elastic. */

import {schedulers} from "../base/schedulers.js";
import {amount, duration, plural} from "../base/text.js";
import {causesText, changesOf, evictionsOf, resourceHours, withDescendants} from "./quota_data.js";
/** @import {QuotaKind} from "./quotas.d.ts" */
/** @import {Quotas, Value} from "../data.d.ts" */

const outsideOfSharing = ["koordinator-system-quota", "koordinator-default-quota"];

/** @type {QuotaKind} */
const elastic = {
  root: "all quotas", tree: "Quotas", one: "quota", quota: "quota", many: "quotas", min: "min", max: "max",
  lines: ["used", "runtime", "request", "min", "max"], evictions: "evictions", evicted: (pods) => `${plural(pods, "pod")} evicted`,
  unreserved: "reserved by no min", taken: "not given back yet",
  lent: (unreserved, taken) => (unreserved ? ` Of that, ${unreserved} came from what no min reserves.` : "") +
    (taken ? ` Others were asking for ${taken} of it: not given back yet.` : ""),
  parentsHavePods: true,
  drawnElsewhere: false,
  shares: (_, q) => q !== 0,
  lends: () => true,
  borrows: (quotas, q) => q !== 0 && !outsideOfSharing.includes(quotas.names[q]),
  marks: (quotas) => quotas.evictions.marks,
  words: elasticWords,
};

/** @type {(quotas: Quotas) => QuotaKind} */
export const kindOf = (quotas) => schedulers.map(({quotaKind}) => quotaKind?.(quotas)).find((kind) => kind) ?? elastic;

/** @type {(quotas: Quotas, q: number) => string} */
export const quotaName = (quotas, q) => (q === 0 ? kindOf(quotas).root ?? quotas.names[q] : quotas.names[q]);

/**
 * The place of the children of a quota.
 * @type {(quotas: Quotas, parent: number) => string}
 */
export const whereBelow = (quotas, parent) => (parent === 0 && kindOf(quotas).root !== null ? "at the first level" : `below ${quotaName(quotas, parent)}`);

/**
 * What an elastic quota did.
 * @type {QuotaKind["words"]}
 */
function elasticWords(quotas, q, r) {
  const resource = quotas.resources[r];
  const figures = quotas.figures[r];
  const show = (/** @type {Value | undefined} */ v) => (v == null ? "none" : amount(resource, v));
  const some = withDescendants(quotas, q);
  const lost = evictionsOf(quotas, some);
  const changed = changesOf(quotas, some);
  const refused = changed.filter(([, , , accepted]) => !accepted).length;
  const borrows = elastic.borrows(quotas, q);
  const words = [`${quotaName(quotas, q)} used ${show(figures.used[q])} of ${resource} on average` +
    (!borrows ? "." : ` (min ${show(figures.min[q])}, max ${show(figures.max[q])}).`)];
  if (borrows && (figures.min[q] ?? 0) > 0) {
    words.push(figures.overMin[q] > 0
      ? `It was above its min for ${duration(figures.overMin[q])} of ${duration(figures.there[q])}: ${resourceHours(resource, figures.borrowed[q])} borrowed.`
      : "It never used more than its min.");
  }
  if (figures.overUse[q] > 0) words.push(`It was above its runtime for ${duration(figures.overUse[q])}.`);
  if (lost.pods > 0) {
    words.push(`${plural(lost.pods, "pod")}${some.size > 1 ? " in it or below" : ""} evicted (${causesText(lost.causes)}), ` +
      `${duration(lost.lost)} of work lost.`);
  }
  if (changed.length > 0) words.push(`${plural(changed.length, "change")}${refused > 0 ? `, ${refused} refused` : ""}.`);
  return words.join(" ");
}
