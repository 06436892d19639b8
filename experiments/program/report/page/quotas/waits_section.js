/* Mean waits by quota in several runs. */

import {el} from "../base/dom.js";
import {data, runNames} from "../base/state.js";
import {duration} from "../base/text.js";
import {shownFigure} from "../figures/show.js";
import {keptTable} from "./quota_table.js";
import {waitsFigure} from "./waits_figure.js";
/** @import {KeptColumn, QuotaWaits} from "./quotas.d.ts" */
/** @import {Made} from "../base/page.d.ts" */

/** @typedef {QuotaWaits["runs"][number] & {names: string[]}} WaitsOfRun */

/** @type {(runs: WaitsOfRun[], noun: string) => QuotaWaits | null} */
function waitsOf(runs, noun) {
  if (runs.length < 2) return null;
  const names = [...new Set(runs.flatMap((run) => run.names))];
  const longest = (/** @type {string} */ name) => Math.max(...runs.map((run) => run.mean(name) ?? 0));
  const known = names.filter((name) => runs.some((run) => run.mean(name) != null)).sort((a, b) => longest(b) - longest(a));
  return known.length === 0 ? null : {runs, names, known, longest, noun};
}

/** @returns {Made} */
export function quotaWaitsSection() {
  const runs = data.runs.flatMap(({quotaMetrics}, i) => {
    const waits = quotaMetrics?.figures.wait_s_mean;
    if (!quotaMetrics || !waits) return [];
    const places = new Map(quotaMetrics.names.map((name, place) => [name, place]));
    return [{label: runNames[i], names: quotaMetrics.names,
      mean: (/** @type {string} */ name) => waits.mean[places.get(name) ?? -1] ?? null,
      ci95: (/** @type {string} */ name) => waits.ci95[places.get(name) ?? -1] ?? null}];
  });
  return waitsSection(runs, "quota");
}

/**
 * The mean waits of the runs that have them, with a row for each quota and a column for each run.
 * @type {(given: WaitsOfRun[], noun: string) => Made}
 */
export function waitsSection(given, noun) {
  const waits = waitsOf(given, noun);
  if (!waits) return null;
  const {runs, names, known} = waits;
  /** @type {KeptColumn<string>[]} */
  const columns = [{title: noun === "quota" ? "Quota" : noun, class: "name", value: (name) => names.indexOf(name), cell: (name) => name},
    ...runs.map((run) => ({title: run.label, number: true, value: run.mean, cell: (/** @type {string} */ name) => {
      const [mean, ci95] = [run.mean(name), run.ci95(name)];
      return mean == null ? "–" : ci95 != null && ci95 > 0 ? `${duration(mean)} ± ${duration(ci95)}` : duration(mean);
    }}))];
  return [
    shownFigure(waitsFigure, waits),
    el("div", {class: "quota-table"}, keptTable(columns, known, {column: 0, descending: false}, `Mean wait by ${noun} and run`)),
  ];
}
