/* The table of all queues and cohorts. */

import {el} from "../../../experiments/program/report/page/base/dom.js";
import {bytes, duration, inBytes, number, percent} from "../../../experiments/program/report/page/base/text.js";
import {quotaState} from "../../../experiments/program/report/page/quotas/quota_data.js";
import {kindOf} from "../../../experiments/program/report/page/quotas/quota_kind.js";
import {keptTable} from "../../../experiments/program/report/page/quotas/quota_table.js";
/** @import {KeptColumn} from "../../../experiments/program/report/page/quotas/quotas.d.ts" */
/** @import {Kueue, Metric, Quotas, Run, Value} from "../../../experiments/program/report/page/data.d.ts" */

/** @typedef {number} QueueRow a node of the tree */

/**
 * The metrics of one queue, by their subject.
 * @type {(run: Run, quotas: Quotas, kueue: Kueue) => (q: QueueRow, figure: string) => Metric | null}
 */
function queueMetrics(run, quotas, kueue) {
  const byName = new Map(run.metrics.map((metric) => [metric.name, metric]));
  return (q, figure) => {
    const name = kueue.kinds[q] === "LocalQueue" ? `${quotas.names[quotas.parents[q]]}/${quotas.names[q]}` : quotas.names[q];
    return kueue.counts[q] ? byName.get(`queue/${name}/${figure}`) ?? null : null;
  };
}

/** @type {(quotas: Quotas, kueue: Kueue) => KeptColumn<QueueRow>[]} */
function quotaColumns(quotas, kueue) {
  const {resource: r} = quotaState(quotas);
  const resource = quotas.resources[r];
  const figures = quotas.figures[r];
  const few = (/** @type {number} */ v) => Number(v.toPrecision(3));
  const show = (/** @type {number} */ v) => (inBytes(resource) ? bytes(v) : number(few(v)));
  const hours = (/** @type {number} */ v) => (inBytes(resource) ? `${bytes(v)} h` : `${number(few(v))} h`);
  /** @type {(title: string, help: string, limits: Value[][] | null) => KeptColumn<QueueRow>[]} */
  const limit = (title, help, limits) => (limits ? [{title, number: true, help, text: show, value: (q) => limits[q][r]}] : []);
  return [
    {title: "nominal quota", number: true, help: "mean over the run; of a Cohort with all below it", text: show, value: (q) => figures.min[q]},
    ...limit("borrowing limit", "at the end", kueue.borrowingLimits),
    ...limit("lending limit", "at the end", kueue.lendingLimits),
    {title: "used", number: true, help: "mean over the run", text: show, value: (q) => figures.used[q]},
    {title: "used of nominal", number: true, help: "mean used by mean nominal quota", text: percent,
      value: (q) => ((figures.min[q] ?? 0) > 0 ? (figures.used[q] ?? 0) / (figures.min[q] ?? 1) : null)},
    {title: "borrowed", number: true, help: `used beyond the nominal quota, ${resource} times hours`, text: hours,
      value: (q) => (kindOf(quotas).borrows(quotas, q) ? figures.borrowed[q] : null)},
  ];
}

/** @type {(run: Run, quotas: Quotas, kueue: Kueue) => HTMLElement} */
export function queuesTable(run, quotas, kueue) {
  const metric = queueMetrics(run, quotas, kueue);
  const mean = (/** @type {string} */ figure) => (/** @type {QueueRow} */ q) => metric(q, figure)?.mean ?? metric(q, figure)?.atLeast ?? null;
  const cell = (/** @type {string} */ figure, /** @type {(v: number) => string} */ text) => (/** @type {QueueRow} */ q) => {
    const of = metric(q, figure);
    if (!of) return "–";
    if (of.mean == null) return of.atLeast == null ? "–" : `> ${text(of.atLeast)}`;
    return of.ci95 != null && of.ci95 > 0 ? `${text(of.mean)} ± ${text(of.ci95)}` : text(of.mean);
  };
  const whole = (/** @type {number} */ v) => number(Number(v.toPrecision(4)));
  /** @type {(title: string, figure: string, text: (v: number) => string, help: string) => KeptColumn<QueueRow>} */
  const measured = (title, figure, text, help) => ({title, number: true, help, value: mean(figure), cell: cell(figure, text)});
  /** A LocalQueue has metrics only with admission fair sharing. */
  const countedLocals = (/** @type {number} */ i, /** @type {KeptColumn<QueueRow>} */ column) => ({...column,
    value: (/** @type {QueueRow} */ q) => column.value(q) ?? (kueue.kinds[q] === "LocalQueue" ? counted(i)(q) : null),
    cell: (/** @type {QueueRow} */ q) => (column.value(q) == null && kueue.kinds[q] === "LocalQueue" ? whole(counted(i)(q) ?? 0) : column.cell?.(q) ?? "–")});
  const counted = (/** @type {number} */ i) => (/** @type {QueueRow} */ q) => {
    const counts = kueue.counts[q];
    return counts ? counts[i] / Math.max(1, kueue.replications) : null;
  };
  /** @type {KeptColumn<QueueRow>[]} */
  const columns = [
    {title: "Queue", class: "name", value: (q) => q, cell: (q) => quotas.names[q]},
    {title: "kind", value: (q) => q, cell: (q) => kueue.kinds[q] || "–"},
    {title: "in", class: "name", value: (q) => quotas.parents[q], cell: (q) => (quotas.parents[q] < 0 || !kueue.kinds[quotas.parents[q]] ? "–" : quotas.names[quotas.parents[q]])},
    ...(kueue.weights.some((weight) => weight != null && weight !== 1)
      ? [{title: "weight", number: true, value: (/** @type {QueueRow} */ q) => kueue.weights[q]}] : []),
    ...quotaColumns(quotas, kueue),
    countedLocals(0, measured("admitted", "admitted", whole, "how often its jobs were admitted")),
    countedLocals(1, measured("preempted", "preempted", whole, "how often its jobs were preempted")),
    ...(kueue.all[2] > 0 ? [{title: "not ready", number: true, help: "how often its jobs lost their quota because their pods were not ready in time", text: whole, value: counted(2)}] : []),
    measured("mean wait", "admission_wait_s_mean", duration, "for quota"),
    measured("95 % wait up to", "admission_wait_s_p95", duration, "for quota: the 95th percentile"),
    measured("longest", "admission_wait_s_max", duration, "wait for quota"),
    {title: "wait at the end", number: true, help: "jobs that wait for quota when the run ends", text: whole, value: counted(3)},
  ];
  const r = quotaState(quotas).resource;
  const rows = quotas.names.map((_, q) => q).filter((q) => kueue.kinds[q] !== "");
  const sort = quotaState(quotas).sort;
  sort.column = Math.min(sort.column, columns.length - 1);
  return el("div", {class: "quota-table", id: "quota-table"},
    el("h3", {}, `All cohorts and queues: ${quotas.resources[r]}`),
    el("p", {class: "faint"}, `Amounts are of replication 0.${run.replications > 1 ? " What is counted or waited for is a mean over the replications." : ""}` +
      (run.window ? " Admissions, preemptions and waits are of jobs that are submitted in the measuring window" +
        `${rows.some((q) => kueue.kinds[q] === "LocalQueue" && !metric(q, "admitted")) ? "; of LocalQueues, admissions and preemptions are of all jobs" : ""}.` : "")),
    keptTable(columns, rows, sort, "Figures by queue"));
}
