/* The shares of a quota's children in what their parent has. */

import {amount, duration, markup, plural} from "../base/text.js";
import {colour} from "../base/theme.js";
import {mixedAlpha, palette} from "../figures/colours.js";
import {lineLegend, tooltip} from "../figures/look.js";
import {amountAxis, timeAxes} from "../figures/time_axis.js";
import {everChildrenOf, parentAt, parentShown, quotaSteps, stepIndex} from "./quota_data.js";
import {greatest, heldUntil} from "./quota_figure.js";
import {kindOf, quotaName, whereBelow} from "./quota_kind.js";
/** @import {FigureMaker, NumberTip} from "../figures/figure.d.ts" */
/** @import {QuotaChoice, QuotaSteps} from "./quotas.d.ts" */
/** @import {Quotas, StepName, Value} from "../data.d.ts" */

/**
 * The area of one child. The part `borrowed` is beyond its min and is drawn in a paler colour.
 * @typedef {{name: string; values: number[]; borrowed: number[]; fill: string; pale?: string}} Area
 */

/**
 * The use of each child on one grid of times. Children that are not named are in `others`.
 * @param {Quotas} quotas
 * @param {number} parent
 * @param {number} r
 * @param {number} chosen
 */
export function childrenUse(quotas, parent, r, chosen) {
  const figures = quotas.figures[r];
  const kind = kindOf(quotas);
  const all = everChildrenOf(quotas, parent).filter((q) => figures.used[q] != null);
  const held = (/** @type {number} */ q) => (figures.used[q] ?? 0) * figures.there[q];
  const known = all.flatMap((q) => {
    const own = quotaSteps(quotas, q, r);
    return own ? [{q, own}] : [];
  }).sort((a, b) => Number(b.q === chosen) - Number(a.q === chosen) || held(b.q) - held(a.q)).slice(0, 12);
  const shown = known.map(({q}) => q);
  const steps = known.map(({own}) => own);
  const whole = quotaSteps(quotas, parent, r);
  let times = [...new Set([...steps, ...(whole ? [whole] : [])].flatMap((s) => s.time))].sort((a, b) => a - b);
  if (times.length > 700) {
    times = Array.from({length: 700}, (_, i) => quotas.first + ((quotas.last - quotas.first) * i) / 699);
  }
  const at = (/** @type {QuotaSteps} */ s, /** @type {StepName} */ name, /** @type {number} */ t) => {
    const i = stepIndex(s.time, t);
    return i < 0 ? null : s[name][i];
  };
  const used = shown.map((q, k) => times.map((t) => (parentAt(quotas, q, t) === parent ? at(steps[k], "used", t) ?? 0 : 0)));
  const borrowed = shown.map((q, k) => times.map((t, i) => (kind.borrows(quotas, q) ? Math.max(0, used[k][i] - Math.max(0, at(steps[k], "min", t) ?? 0)) : 0)));
  const total = whole ? times.map((t) => at(whole, "used", t)) : null;
  const runtime = whole && kind.lines.includes("runtime") && whole.runtime.some((v) => v != null) ? times.map((t) => at(whole, "runtime", t)) : null;
  const others = total && times.map((_, i) => Math.max(0, (total[i] ?? 0) - used.reduce((named, one) => named + one[i], 0)));
  const sum = (/** @type {Value[]} */ values) => values.reduce((/** @type {number} */ a, b) => a + (b ?? 0), 0);
  // If all children are named, the rest is rounding or the parent's own pods.
  const some = others && (kind.parentsHavePods || all.length > shown.length) && sum(others) > 0.005 * sum(total ?? []) ? others : null;
  return {times, shown, used, borrowed, total, runtime, others: some, left: all.length - shown.length};
}

/** The colours of children, without the third series colour, which is that of the runtime. */
export const childHues = () => palette().filter((hue) => hue !== colour("series-3"));

/** @type {(quotas: Quotas, parent: number, r: number) => string} */
export function childrenTitle(quotas, parent, r) {
  return `Shares of what ${!kindOf(quotas).shares(quotas, parent) ? "is in use" : `${quotaName(quotas, parent)} has`}: ${quotas.resources[r]}`;
}

/** @type {FigureMaker<{quotas: Quotas; chosen: QuotaChoice}>} */
export function childrenFigure({quotas, chosen: {chosen, resource: r}}) {
  const parent = parentShown(quotas, chosen);
  const resource = quotas.resources[r];
  const {times, shown, used, borrowed, total, runtime, others, left} = childrenUse(quotas, parent, r, chosen);
  const {min: sure, quota: noun, drawnElsewhere} = kindOf(quotas);
  if (shown.length === 0 || times.length < 2) return null;
  const show = (/** @type {Value | undefined} */ v) => (v == null ? "–" : amount(resource, v));
  const otherName = left > 0 ? plural(left, "other") : "not in a child";
  const hues = childHues();
  // If other figures draw the same quotas, their colours must not depend on the choice.
  const places = drawnElsewhere ? everChildrenOf(quotas, parent) : shown;
  const fill = (/** @type {number} */ k, /** @type {number} */ alpha) => {
    const place = places.indexOf(shown[k]);
    return mixedAlpha(hues[place % 6], place < 6 ? alpha : alpha * 0.55);
  };
  /** @type {Area[]} */
  const areas = [...shown.map((q, k) => ({name: quotaName(quotas, q), values: used[k], borrowed: borrowed[k], fill: fill(k, 0.8), pale: fill(k, 0.35)})),
    ...(others ? [{name: otherName, values: others, borrowed: others.map(() => 0), fill: colour("line")}] : [])];
  const lends = (/** @type {Area} */ area) => area.borrowed.some((v) => v > 0);
  /** For each child, the area within its min and above it the area beyond. */
  const stack = areas.flatMap((area) => [{...area, values: area.values.map((v, i) => v - area.borrowed[i])},
    ...(lends(area) ? [{...area, values: area.borrowed, fill: area.pale ?? area.fill}] : [])]);
  const lines = [...(total ? [{name: "all of it", values: total, type: "solid", colour: "ink"}] : []),
    ...(runtime ? [{name: "runtime", values: runtime, type: "solid", colour: "series-3"}] : [])];
  const means = shown.map((q) => /** @type {const} */ ([quotaName(quotas, q), quotas.figures[r].used[q] ?? 0]));
  means.sort((a, b) => b[1] - a[1]);
  const top = Math.max(greatest(lines.flatMap((l) => l.values)), greatest(times.map((_, i) => stack.reduce((sum, one) => sum + (one.values[i] ?? 0), 0))));
  return {
    id: "quota-children",
    title: childrenTitle(quotas, parent, r),
    renderer: "canvas",
    height: 340,
    summary: `${plural(shown.length + left, noun)} ${whereBelow(quotas, parent)}. On average ` +
      means.slice(0, 4).map(([child, mean]) => `${child} held ${show(mean)}`).join(", ") + "." +
      (areas.some(lends) ? ` Pale is what is in use beyond the ${sure}.` : ""),
    columns: [{title: "time", number: true}, ...[...areas, ...lines].map((s) => ({title: s.name, number: true})),
      ...areas.filter(lends).map((s) => ({title: `${s.name} beyond ${sure}`, number: true}))],
    rows: () => times.map((t, i) => [duration(t), ...[...areas, ...lines].map((s) => show(s.values[i])), ...areas.filter(lends).map((s) => show(s.borrowed[i]))]),
    option: () => ({
      legend: lineLegend({type: "scroll", top: 0, left: 0, right: 0, itemGap: 16, pageTextStyle: {color: colour("muted")},
        pageIconColor: colour("accent"), pageIconInactiveColor: colour("line"), 
        data: [...areas.map((s) => ({name: s.name, icon: "roundRect", itemStyle: {color: s.fill, opacity: 1}})), ...lines.map((s) => ({name: s.name, itemStyle: {opacity: 0}}))]}),
      grid: {outerBoundsMode: "none", left: 78, right: 30, top: 40, bottom: 64},
      tooltip: tooltip({trigger: "axis", formatter: (/** @type {NumberTip[]} */ list) => {
        const i = Math.max(0, stepIndex(times, list[0].axisValue));
        const row = (/** @type {{name: string; values: Value[]}} */ s, /** @type {string} */ hue, /** @type {string} */ more) =>
          `<tr><td><span class="dot" style="background:${hue}"></span>${markup(s.name)}</td><td class="number">${show(s.values[i])}${more}</td></tr>`;
        const rows = [...[...areas].reverse().map((s) => row(s, s.fill, s.borrowed[i] > 0 ? ` (${show(s.borrowed[i])} beyond ${sure})` : "")),
          ...lines.map((s) => row(s, colour(s.colour), ""))];
        return `<b>${duration(list[0].axisValue)}</b><table class="tip">${rows.join("")}</table>`;
      }}),
      ...timeAxes(quotas.first, quotas.last),
      yAxis: amountAxis(resource, top > 0 ? top * 1.06 : 1),
      series: [
        ...stack.map((s) => ({name: s.name, type: "line", stack: "held", step: "end", showSymbol: false, silent: true,
          lineStyle: {width: 0.8, color: colour("surface")}, itemStyle: {color: s.fill}, areaStyle: {color: s.fill, opacity: 1},
          data: heldUntil(times, s.values, quotas.last)})),
        ...lines.map((s) => ({name: s.name, type: "line", step: "end", showSymbol: false, z: 4,
          lineStyle: {width: 1.8, type: s.type, color: colour(s.colour)}, itemStyle: {color: colour(s.colour)},
          data: heldUntil(times, s.values, quotas.last)})),
      ],
    }),
  };
}
