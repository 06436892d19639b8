/* The table with the figures of all quotas. */

import {el} from "../base/dom.js";
import {table} from "../base/table.js";
import {bytes, duration, inBytes, number, percent} from "../base/text.js";
import {quotaState} from "./quota_data.js";
import {kindOf} from "./quota_kind.js";
/** @import {KeptColumn} from "./quotas.d.ts" */
/** @import {Quotas, Run} from "../data.d.ts" */
/** @import {SortOrder} from "../base/tables.d.ts" */

/** @typedef {{name: string; q: number}} QuotaRow a quota's name, and its place among the quotas */

/**
 * A table that keeps its order in `order`. Columns: {title, value(row), text(value), cell(row),
 * number, help}.
 * @template Row
 * @param {KeptColumn<Row>[]} columns
 * @param {Row[]} rows
 * @param {SortOrder} order
 * @param {string} label
 */
export function keptTable(columns, rows, order, label) {
  const cell = (/** @type {Row} */ row) => (/** @type {KeptColumn<Row>} */ c) => {
    const v = c.value(row);
    return c.cell ? c.cell(row) : v == null ? "–" : c.text ? c.text(v) : number(v);
  };
  return table(columns, rows.map((row) => columns.map(cell(row))),
    {label, order, shown: 12, keys: () => rows.map((row) => columns.map((c) => c.value(row)))});
}

/**
 * The figures of all quotas: those of quotas.csv for the chosen resource, then the metrics that the
 * run has.
 * @type {(run: Run, quotas: Quotas | null) => HTMLDivElement | null}
 */
export function quotaTable(run, quotas) {
  const metrics = run.quotaMetrics;
  const place = new Map((metrics?.names ?? []).map((name, i) => [name, i]));
  const figure = (/** @type {string} */ name) => (/** @type {QuotaRow} */ row) => metrics?.figures[name]?.mean[place.get(row.name) ?? -1] ?? null;
  const has = (/** @type {string} */ name) => metrics?.figures[name]?.mean.some((v) => v != null);
  const rows = quotas ? quotas.names.map((name, q) => ({name, q})).slice(1) : (metrics?.names ?? []).map((name, q) => ({name, q}));
  /** @type {KeptColumn<QuotaRow>[]} */
  const columns = [{title: "Quota", class: "name", value: (row) => row.q, cell: (row) => row.name}];
  const number0 = (/** @type {number} */ v) => number(Number(v.toPrecision(4)));
  const r = quotas ? quotaState(quotas).resource : 0;
  const resource = quotas?.resources[r] ?? "";
  const hours = (/** @type {number} */ v) => (inBytes(resource) ? `${bytes(v)} h` : `${number0(v)} h`);
  if (quotas) {
    const figures = quotas.figures[r];
    const {borrows} = kindOf(quotas);
    columns.push(
      {title: "used of min", number: true, help: "mean amount used, as a share of the mean min", text: percent,
        value: ({q}) => {
          const [used, min] = [figures.used[q], figures.min[q] ?? 0];
          return min > 0 && used != null ? used / min : null;
        }},
      {title: "over min", number: true, help: "time with more in use than min", text: duration, value: (row) => (borrows(quotas, row.q) ? figures.overMin[row.q] : null)},
      {title: "borrowed", number: true, help: `in use beyond min, ${resource} times hours`,
        text: hours, value: (row) => (borrows(quotas, row.q) ? figures.borrowed[row.q] : null)});
    if (!has("over_use_s")) {
      columns.push({title: "over-use", number: true, help: "time with more in use than runtime", text: duration, value: (row) => figures.overUse[row.q]});
    }
  }
  /** @type {[name: string, title: string, text: (value: number) => string, help: string][]} */
  const known = [
    [`${resource}_lent_h`, "lendable", hours, "of its min, neither used nor asked for, times hours"],
    ["min_violation_s", "min not met", duration, "time in which the min was not met though it was asked for"],
    ["over_use_s", "over-use", duration, "time with more in use than runtime"],
    ["revoked", "revoked", number0, "pods that had to give back what was borrowed"],
    ["preempted", "preempted", number0, "pods that made room for more important ones"],
    ["node_failed", "node failed", number0, "pods that lost their node"],
    ["drained", "drained", number0, "pods that lost their place because their node was drained"],
    ["lost_s", "lost work", duration, "run time of evicted pods that was for nothing"],
    ["dominant_share", "dominant share", percent, "the largest share of a resource of the cluster"],
    ["wait_s_mean", "mean wait", duration, "from submit to start"],
  ];
  for (const [name, title, text, help] of known) {
    const never = title === "node failed" && metrics?.figures[name]?.mean.every((v) => !v);
    if (has(name) && !never) columns.push({title, number: true, help, text, value: figure(name)});
  }
  if (columns.length < 2) return null;
  const sort = quotas ? quotaState(quotas).sort : {column: 0, descending: false};
  sort.column = Math.min(sort.column, columns.length - 1);
  return el("div", {class: "quota-table", id: "quota-table"},
    el("h3", {}, resource ? `All quotas: ${resource}` : "All quotas"),
    metrics && run.replications > 1 ? el("p", {class: "faint"}, "What is counted or waited for is a mean over the replications.") : null,
    keptTable(columns, rows, sort, "Figures by quota"));
}
