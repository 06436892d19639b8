/* One quota over time. */

import {lastOf} from "../base/lists.js";
import {charts} from "../base/state.js";
import {amount, duration} from "../base/text.js";
import {colour} from "../base/theme.js";
import {lineLegend, tooltip} from "../figures/look.js";
import {amountAxis, timeAxes} from "../figures/time_axis.js";
import {changesOf, quotaSteps, stepIndex, withDescendants} from "./quota_data.js";
import {kindOf, quotaName} from "./quota_kind.js";
import {changeMarks, evictionMarks, happenings, overUseSeries} from "./quota_marks.js";
/** @import {FigureMaker, NumberTip} from "../figures/figure.d.ts" */
/** @import {QuotaChoice, QuotaSteps} from "./quotas.d.ts" */
/** @import {Quotas, StepName, Value} from "../data.d.ts" */

/**
 * Values in the form of a chart. The last one holds until the end of the samples.
 * @param {number[]} times
 * @param {Value[]} values
 * @param {number} end
 */
export function heldUntil(times, values, end) {
  const points = times.map((t, i) => [t, values[i]]);
  if (times.length > 0 && lastOf(times) < end) points.push([end, lastOf(values)]);
  return points;
}

/**
 * The periods with more in use than runtime, as [from, until, runtime, used].
 * @param {QuotaSteps} steps
 * @param {number} end
 */
export function overUses(steps, end) {
  /** @type {[from: number, until: number, runtime: number, used: number][]} */
  const list = [];
  steps.time.forEach((from, i) => {
    const [used, runtime] = [steps.used[i], steps.runtime[i]];
    if (used != null && runtime != null && used > runtime) {
      const until = i + 1 < steps.time.length ? steps.time[i + 1] : end;
      if (until > from) list.push([from, until, runtime, used]);
    }
  });
  return list;
}

/**
 * Amounts that may be far above everything that is held, and are then not drawn completely.
 * @type {StepName[]}
 */
const mayBeFar = ["request", "max"];
/** @type {Record<StepName, {width: number; type: string; colour: string; z: number}>} */
const looks = {
  used: {width: 1.8, type: "solid", colour: "series-1", z: 4},
  runtime: {width: 1.8, type: "solid", colour: "series-3", z: 3},
  request: {width: 1.4, type: "solid", colour: "series-5", z: 2},
  min: {width: 1.5, type: "dashed", colour: "ink", z: 5},
  max: {width: 1.5, type: "dotted", colour: "series-4", z: 5},
};

/** @type {(values: Value[]) => number} */
export const greatest = (values) => values.reduce((/** @type {number} */ a, b) => (b != null && b > a ? b : a), 0);

/**
 * The upper end of the axis: enough for what is held, and also for what is requested or allowed if
 * that is not much more.
 * @param {QuotaSteps} steps
 * @param {StepName[]} lines
 */
function quotaReach(steps, lines) {
  const near = Math.max(greatest(steps.used), greatest(lines.includes("runtime") ? steps.runtime : []), greatest(steps.min));
  const distant = mayBeFar.filter((name) => lines.includes(name));
  const far = distant.filter((name) => greatest(steps[name]) > 3 * near && near > 0);
  const reach = Math.max(near, ...distant.filter((name) => !far.includes(name)).map((name) => greatest(steps[name])));
  return {reach: reach > 0 ? reach * 1.06 : 1, far};
}

/**
 * The number of seconds within a few pixels of the pointer, at the current zoom.
 * @type {(id: string, first: number, last: number) => number}
 */
function pointerReach(id, first, last) {
  /** @type {{dataZoom?: {start: number; end: number}[]} | undefined} */
  const option = charts.get(id)?.getOption();
  const zoom = option?.dataZoom?.[0];
  return ((last - first) * ((zoom?.end ?? 100) - (zoom?.start ?? 0))) / 100 / 70;
}

/** @type {FigureMaker<{quotas: Quotas; chosen: QuotaChoice}>} */
export function quotaFigure({quotas, chosen: {chosen: q, resource: r}}) {
  const resource = quotas.resources[r];
  const name = quotaName(quotas, q);
  const steps = quotaSteps(quotas, q, r);
  if (!steps || steps.time.length === 0 || !(quotas.last > quotas.first)) return null;
  const some = withDescendants(quotas, q);
  const kind = kindOf(quotas);
  const evictions = kind.marks(quotas).filter(([, quota]) => some.has(quota));
  const changes = changesOf(quotas, some);
  const over = overUses(steps, quotas.last);
  const lines = kind.lines.filter((line) => steps[line].some((v) => v != null));
  const {reach, far} = quotaReach(steps, lines);
  const said = (/** @type {StepName} */ line) => (line === "min" ? kind.min : line === "max" ? kind.max : line);
  const show = (/** @type {Value | undefined} */ v) => (v == null ? "–" : amount(resource, v));
  const marks = [...(over.length ? [overUseSeries(over)] : []), ...(evictions.length ? [evictionMarks(evictions, kind.evictions)] : []),
    ...(changes.length ? [changeMarks(changes)] : [])];
  const beyond = far.map((line) => `${said(line)} goes up to ${show(greatest(steps[line]))}, beyond the chart`).join("; ");
  return {
    id: "quota",
    title: `${name}: ${resource}`,
    renderer: "canvas",
    height: 360,
    summary: `${kind.words(quotas, q, r)}${beyond ? ` Its ${beyond}.` : ""}`,
    columns: [{title: "time", number: true}, ...lines.map((line) => ({title: said(line), number: true}))],
    rows: () => steps.time.map((t, i) => [duration(t), ...lines.map((line) => show(steps[line][i]))]),
    option: () => ({
      legend: lineLegend({top: 0, left: 0, right: 0, itemGap: 16, 
        data: [...lines.map((line) => ({name: said(line), itemStyle: {opacity: 0}})), ...marks.map((m) => ({name: m.name}))]}),
      grid: {outerBoundsMode: "none", left: 78, right: 30, top: 58, bottom: 64},
      tooltip: tooltip({trigger: "axis", extraCssText: "white-space:normal;max-width:380px", formatter: (/** @type {NumberTip[]} */ list) => {
        const time = list[0].axisValue;
        const i = stepIndex(steps.time, time);
        const rows = lines.map((line) => `<tr><td><span class="dot" style="background:${colour(looks[line].colour)}"></span>${said(line)}</td>` +
          `<td class="number">${i < 0 ? "–" : show(steps[line][i])}</td></tr>`).join("");
        return `<b>${duration(time)}</b><table class="tip">${rows}</table>` +
          happenings(time, pointerReach("quota", quotas.first, quotas.last), changes, evictions, kind.evicted);
      }}),
      ...timeAxes(quotas.first, quotas.last),
      yAxis: amountAxis(resource, reach),
      series: [
        ...lines.map((line) => ({name: said(line), type: "line", step: "end", showSymbol: false, z: looks[line].z,
          lineStyle: {width: looks[line].width, type: looks[line].type, color: colour(looks[line].colour)},
          itemStyle: {color: colour(looks[line].colour)},
          ...(line === "used" ? {areaStyle: {color: colour(looks.used.colour), opacity: 0.22}} : {}),
          data: heldUntil(steps.time, steps[line], quotas.last)})),
        ...marks,
      ],
    }),
  };
}
