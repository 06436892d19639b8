/* What happened in Kueue's queues, in words. */

import {amount, duration, number, plural} from "../../../experiments/program/report/page/base/text.js";
import {childrenOf, resourceHours} from "../../../experiments/program/report/page/quotas/quota_data.js";
/** @import {Kueue, QueueCounts, Quotas, Value} from "../../../experiments/program/report/page/data.d.ts" */

/** The meaning of Kueue's words for preemption reasons. */
export const reasonWords = /** @type {Record<string, string>} */ ({
  InClusterQueue: "a job of the same ClusterQueue goes first",
  InCohortReclamation: "a ClusterQueue takes back quota of its own",
  InCohortFairSharing: "a ClusterQueue has the smaller share",
  InCohortReclaimWhileBorrowing: "a ClusterQueue takes back quota and borrows at once",
});

/**
 * The average number per replication.
 * @type {(kueue: Kueue, count: number) => string}
 */
export function eachReplication({replications}, count) {
  const mean = count / Math.max(1, replications);
  return number(Number.isInteger(mean) ? mean : Number(mean.toPrecision(3)));
}

/**
 * The ClusterQueues, or the LocalQueue, that a node of the tree stands for.
 * @type {(quotas: Quotas, kueue: Kueue, q: number) => number[]}
 */
function queuesBelow(quotas, kueue, q) {
  return kueue.counts[q] ? [q] : childrenOf(quotas, q).flatMap((child) => queuesBelow(quotas, kueue, child));
}

/**
 * Sums over all replications, for a node and everything below it.
 * @type {(quotas: Quotas, kueue: Kueue, q: number) => QueueCounts}
 */
export function countsBelow(quotas, kueue, q) {
  /** @type {QueueCounts} */
  const sum = [0, 0, 0, 0];
  queuesBelow(quotas, kueue, q).forEach((queue) => kueue.counts[queue]?.forEach((count, i) => { sum[i] += count; }));
  return sum;
}

/** @type {(quotas: Quotas, kueue: Kueue, q: number, r: number) => string} */
export function queueWords(quotas, kueue, q, r) {
  const resource = quotas.resources[r];
  const figures = quotas.figures[r];
  const show = (/** @type {Value | undefined} */ v) => amount(resource, Number((v ?? 0).toPrecision(4)));
  const isLocal = kueue.kinds[q] === "LocalQueue";
  const limits = [["borrowingLimit", kueue.borrowingLimits?.[q]?.[r]], ["lendingLimit", kueue.lendingLimits?.[q]?.[r]]]
    .flatMap(([name, limit]) => (typeof limit === "number" ? [`${name} ${show(limit)}`] : []));
  const weight = kueue.weights[q] ?? 1;
  const more = [...limits, ...(weight === 1 ? [] : [`weight ${number(weight)}`]), ...(kueue.stopped[q] ? [`stopPolicy ${kueue.stopped[q]} at the end`] : [])];
  const nominal = isLocal ? "" : `, of a nominal quota of ${show(figures.min[q])}${kueue.counts[q] ? "" : " in it and below"}`;
  const words = [`${[kueue.kinds[q], quotas.names[q]].filter(Boolean).join(" ")} used ${show(figures.used[q])} of ${resource} on average${nominal}` +
    (more.length > 0 ? ` (${more.join(", ")}).` : ".")];
  if (figures.borrowed[q] > 0 && q !== 0 && !isLocal) {
    words.push(`It borrowed for ${duration(figures.overMin[q])} of ${duration(figures.there[q])}: ${resourceHours(resource, figures.borrowed[q])}.`);
  }
  const [admitted, preempted, notReady, waiting] = countsBelow(quotas, kueue, q);
  const counted = [`jobs were admitted ${eachReplication(kueue, admitted)} times`, ...(preempted > 0 ? [`preempted ${eachReplication(kueue, preempted)} times`] : []),
    ...(notReady > 0 ? [`sent back ${eachReplication(kueue, notReady)} times because their pods were not ready`] : [])];
  words.push(`${kueue.replications > 1 ? `In each of ${plural(kueue.replications, "replication")}, on average, its` : "Its"} ${counted.join(", ")}` +
    (waiting > 0 ? `; ${eachReplication(kueue, waiting)} wait for quota at the end.` : "."));
  return words.join(" ");
}
