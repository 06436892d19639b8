/* All metrics, under the headings of their documentation. */

import {defined} from "../base/definitions.js";
import {el} from "../base/dom.js";
import {data} from "../base/state.js";
import {table} from "../base/table.js";
import {isPlain, isTime, number, percent1, plural, quantity} from "../base/text.js";
/** @import {Made} from "../base/page.d.ts" */
/** @import {Metric, Run} from "../data.d.ts" */

/**
 * Metrics under the headings of their documentation, in its order. Undocumented metrics come last.
 * @type {(run: Run) => Made}
 */
export function metricsSection(run) {
  if (run.metrics.length === 0) return null;
  const several = run.metrics.some((m) => m.n > 1);
  /** @type {Map<string, Metric[]>} */
  const parts = new Map();
  for (const m of run.metrics) {
    const part = data.definitions[m.name]?.part ?? "Others";
    parts.set(part, [...(parts.get(part) ?? []), m]);
  }
  const columns = [{title: "Metric"}, {title: "Unit"}, ...(several
    ? [{title: "mean ± 95%", number: true}, {title: "sd", number: true}, {title: "min", number: true}, {title: "max", number: true}, {title: "n", number: true}]
    : [{title: "value", number: true}])];
  const open = (/** @type {Metric} */ m) => [m.mean != null && m.atLeast != null && m.atLeast > m.mean ? `with what had not ended, at least ${quantity(m.name, m.atLeast)}` : "",
    (m.neverStarted ?? 0) > 0 ? `${percent1(m.neverStarted)} never started` : ""].filter(Boolean).join("; ");
  const figures = (/** @type {Metric} */ m) => (m.mean == null && m.atLeast != null ? `> ${quantity(m.name, m.atLeast)}` : quantity(m.name, m.mean, several ? m.ci95 : 0));
  const value = (/** @type {Metric} */ m) => (isPlain() || !open(m) ? figures(m) : el("span", {}, figures(m), el("span", {class: "delta"}, open(m))));
  const row = (/** @type {Metric} */ m) => [el("code", {}, defined(m.name)), isTime(m.name) && !isPlain() ? "time" : data.definitions[m.name]?.unit ?? "", value(m),
    ...(several ? [...[m.sd, m.min, m.max].map((v) => quantity(m.name, v)), number(m.n)] : [])];
  const boxes = [...parts].map(([part, list]) => el("details", {class: "metric-part"},
    el("summary", {}, el("h3", {}, part[0].toUpperCase() + part.slice(1)), ` ${plural(list.length, "metric")}`),
    table(columns, () => list.map(row), {label: `Metrics: ${part}`})));
  const filter = el("input", {type: "search", id: "metrics-filter", placeholder: "part of a name", oninput: (e) => {
    const wanted = e.target.value.trim().toLowerCase();
    for (const box of boxes) {
      const rows = [...box.querySelectorAll("tr")].filter((one) => one.parentElement?.tagName === "TBODY");
      rows.forEach((one) => { one.hidden = !one.cells[0].textContent?.toLowerCase().includes(wanted); });
      box.hidden = rows.every((one) => one.hidden);
      box.open = wanted !== "" && !box.hidden;
    }
  }});
  return {
    controls: run.metrics.length > 12 ? el("div", {class: "controls"}, el("label", {}, "Filter", filter)) : null,
    content: [
      el("p", {class: "lead"}, (several
        ? "Means over the replications; ± is half of the width of the 95% confidence interval, by Student's t over the replications. "
        : "One replication: nothing here has an interval. With spec.replications of 2 or more each mean has one. ") +
        "Point at a name, or reach it with Tab, for what it means; a heading sorts."),
      ...boxes,
    ],
  };
}
