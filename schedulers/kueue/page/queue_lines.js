/* A line for each queue below one cohort. */

import {duration, markup, plural} from "../../../experiments/program/report/page/base/text.js";
import {colour} from "../../../experiments/program/report/page/base/theme.js";
import {axis, lineLegend, tooltip} from "../../../experiments/program/report/page/figures/look.js";
import {timeAxes} from "../../../experiments/program/report/page/figures/time_axis.js";
import {childHues} from "../../../experiments/program/report/page/quotas/children_figure.js";
import {childrenOf, everChildrenOf, parentShown, stepIndex} from "../../../experiments/program/report/page/quotas/quota_data.js";
import {heldUntil} from "../../../experiments/program/report/page/quotas/quota_figure.js";
/** @import {Figure, NumberTip} from "../../../experiments/program/report/page/figures/figure.d.ts" */
/** @import {QuotaChoice} from "../../../experiments/program/report/page/quotas/quotas.d.ts" */
/** @import {Quotas, Value, ValueSteps} from "../../../experiments/program/report/page/data.d.ts" */

const linesShown = 10;
const dashes = ["solid", "dashed", "dotted"];

/** @typedef {{q: number; place: number; name: string; steps: ValueSteps; mean: number; most: number}} QueueLine */

/**
 * The mean over the run, and the greatest value, of a quantity that holds from step to step. Steps
 * without a value do not count.
 * @param {ValueSteps} steps
 * @param {number} end
 */
function meanAndMost({time, value}, end) {
  let area = 0;
  let known = 0;
  time.forEach((from, i) => {
    const span = (time[i + 1] ?? end) - from;
    const v = value[i];
    if (v == null || !(span > 0)) return;
    area += v * span;
    known += span;
  });
  return {mean: known > 0 ? area / known : 0, most: value.reduce((/** @type {number} */ a, b) => Math.max(a, b ?? 0), 0)};
}

/**
 * The lines with the greatest mean, and the chosen one.
 * @param {Quotas} quotas
 * @param {QuotaChoice} chosen
 * @param {(ValueSteps | null)[]} steps
 */
export function linesBelow(quotas, chosen, steps) {
  const parent = parentShown(quotas, chosen.chosen);
  const own = childrenOf(quotas, parent).length > 0 ? childrenOf(quotas, parent) : [parent];
  const known = own.flatMap((q) => {
    const of = steps[q];
    return of ? [{q, place: Math.max(0, everChildrenOf(quotas, parent).indexOf(q)), name: quotas.names[q], steps: of, ...meanAndMost(of, quotas.last)}] : [];
  }).sort((a, b) => Number(b.q === chosen.chosen) - Number(a.q === chosen.chosen) || b.mean - a.mean);
  return {parent, lines: known.slice(0, linesShown), left: known.length - linesShown};
}

/**
 * @param {{id: string; title: string; summary: string; quotas: Quotas; lines: QueueLine[]; chosen: number;
 *   text: (value: number) => string; axisOf: object}} given
 * @returns {Figure}
 */
export function queueLines({id, title, summary, quotas, lines, chosen, text, axisOf}) {
  const show = (/** @type {Value | undefined} */ v) => (v == null ? "–" : text(v));
  const hues = childHues();
  const hue = (/** @type {number} */ i) => hues[lines[i].place % hues.length];
  const at = (/** @type {QueueLine} */ line, /** @type {number} */ time) => line.steps.value[stepIndex(line.steps.time, time)];
  const times = [...new Set(lines.flatMap((line) => line.steps.time))].sort((a, b) => a - b);
  return {
    id,
    title,
    renderer: "canvas",
    height: 300,
    summary,
    columns: [{title: "time", number: true}, ...lines.map((line) => ({title: line.name, number: true}))],
    rows: () => times.map((t) => [duration(t), ...lines.map((line) => show(at(line, t)))]),
    option: () => ({
      legend: lineLegend({type: "scroll", top: 0, left: 0, right: 0, itemGap: 16, pageTextStyle: {color: colour("muted")},
        data: lines.map((line) => ({name: line.name, itemStyle: {opacity: 0}}))}),
      grid: {outerBoundsMode: "none", left: 78, right: 30, top: 40, bottom: 64},
      tooltip: tooltip({trigger: "axis", formatter: (/** @type {NumberTip[]} */ list) => `<b>${duration(list[0].axisValue)}</b><table class="tip">` +
        lines.map((line, i) => `<tr><td><span class="dot" style="background:${hue(i)}"></span>${markup(line.name)}</td><td class="number">${show(at(line, list[0].axisValue))}</td></tr>`).join("") + "</table>"}),
      ...timeAxes(quotas.first, quotas.last),
      yAxis: axis({type: "value", min: 0, splitNumber: 4, axisLine: {show: false, onZero: false}, axisLabel: {formatter: text}, ...axisOf}),
      series: lines.map((line, i) => ({name: line.name, type: "line", step: "end", showSymbol: false, z: line.q === chosen ? 4 : 3,
        lineStyle: {width: line.q === chosen ? 2.4 : 1.4, color: hue(i), type: dashes[Math.min(2, Math.floor(line.place / hues.length))]}, itemStyle: {color: hue(i)},
        data: heldUntil(line.steps.time, line.steps.value, quotas.last)})),
    }),
  };
}

/** @type {(left: number) => string} */
export const leftOut = (left) => (left > 0 ? ` ${plural(left, "other")} with less are not drawn.` : "");
