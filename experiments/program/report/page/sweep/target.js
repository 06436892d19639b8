/* The requirement for the points of a sweep, and the value of an axis from which they meet it. */

import {el} from "../base/dom.js";
import {data, sweep} from "../base/state.js";
import {measured, plural, quantity} from "../base/text.js";
import {pointText} from "./differences.js";
import {sweepMeansOf} from "./sweep_data.js";
import {keepSweepHash, sweepView} from "./sweep_view.js";
/** @import {SweepAxis} from "../data.d.ts" */
/** @import {SweepMean, Target} from "./sweep.d.ts" */

const groupsMax = 12;

/** @param {string} metric */
const unitOf = (metric) => data.definitions[metric]?.unit ?? "";

/**
 * Reads a target as people write it, `job_wait_s_p95<=10m`. Returns what is wrong with it if it is
 * not one.
 * @type {(text: string) => Target | string}
 */
export function readTarget(text) {
  const [, metric = "", sign, wanted = ""] = /^([^<>=!]*)(<=|>=)(.*)$/.exec(text.replace(/\s/g, "").replace("≤", "<=").replace("≥", ">=")) ?? [];
  if (metric === "") return `Write METRIC<=VALUE or METRIC>=VALUE, such as ${exampleTarget()}.`;
  if (!sweep.metrics.some(({name}) => name === metric)) return `${metric} is no metric of this page: All points has their names.`;
  const bound = measured(wanted, unitOf(metric));
  return Number.isNaN(bound) ? `“${wanted}” is no value of ${metric}: write a number, a duration such as 10m, or a share such as 95%.`
    : {metric, atMost: sign === "<=", bound};
}

/** An example of a target for this sweep. */
function exampleTarget() {
  const metric = ["job_wait_s_p95", "wait_s_p95", "job_wait_s_mean", "wait_s_mean"].find((name) => sweep.metrics.some((m) => m.name === name)) ?? sweepView.metric;
  return metric + ({s: "<=10m", share: ">=95%"}[unitOf(metric)] ?? "<=1");
}

/**
 * Where along an axis something holds: "from racks 7 on".
 * @type {(axis: SweepAxis, places: number[], holds: boolean[]) => string}
 */
function whereInWords(axis, places, holds) {
  const met = places.filter((_, i) => holds[i]);
  const first = holds.indexOf(true);
  const last = holds.lastIndexOf(true);
  if (met.length === 0) return "nowhere";
  if (met.length === places.length) return places.length === 1 ? `at ${axis.name} ${axis.values[met[0]]}` : `at all ${places.length} values of ${axis.name}`;
  if (axis.numbers !== null && met.length === last - first + 1) {
    if (last === holds.length - 1) return `from ${axis.name} ${axis.values[met[0]]} on`;
    if (first === 0) return `up to ${axis.name} ${axis.values[met[met.length - 1]]}`;
  }
  return `at ${axis.name} ${met.map((place) => axis.values[place]).join(", ")}`;
}

/**
 * Which points meet a target: a line for each combination of the other axes. The worse end of an
 * interval counts.
 * @type {(target: Target, text: string) => string[]}
 */
export function targetLines({metric, atMost, bound}, text) {
  const means = sweepMeansOf(metric);
  const worse = (/** @type {SweepMean} */ {mean, ci95}) => (atMost ? mean + (ci95 ?? 0) : (ci95 ?? 0) - mean);
  const meets = (/** @type {number} */ p) => means[p] !== null && worse(means[p]) <= (atMost ? bound : -bound);
  const axes = sweep.axes.filter((a) => a.values.length > 1);
  const over = axes.find((a) => a.numbers !== null && !a.given) ?? axes.find((a) => a.numbers !== null) ?? axes[0] ?? sweep.axes[0];
  const known = means.flatMap((mean, p) => (mean ? [{mean, p}] : []));
  if (known.length === 0) return [`No finished point has a value of ${metric}.`];
  if (!known.some(({p}) => meets(p))) {
    const {mean, p} = known.reduce((a, b) => (worse(b.mean) < worse(a.mean) ? b : a));
    return [`No point meets ${text}: the nearest is ${quantity(metric, mean.mean, mean.ci95)} with ${pointText(p)}. ` +
      "Add values to an axis, more replications, or ask for less."];
  }
  /** @type {Map<string, number[]>} */
  const groups = new Map();
  for (const {p} of known) {
    const name = axes.filter((a) => a !== over).map((a) => `${a.name} ${a.values[a.points[p]]}`).join(", ");
    groups.set(name, [...(groups.get(name) ?? []), p]);
  }
  const lines = [...groups].map(([name, points]) => {
    const ascending = points.sort((p, q) => over.points[p] - over.points[q]);
    const where = whereInWords(over, ascending.map((p) => over.points[p]), ascending.map(meets));
    return name === "" ? `${where[0].toUpperCase()}${where.slice(1)}.` : `${name}: ${where}.`;
  });
  return lines.length <= groupsMax ? lines : [...lines.slice(0, groupsMax), `And ${plural(lines.length - groupsMax, "combination")} more: filter All points by ${text}.`];
}

/** The field for a target, and its result. */
export function targetBox() {
  const said = el("div", {role: "status"});
  const say = () => {
    const text = sweepView.target.trim();
    const target = readTarget(text);
    const lines = typeof target === "string" ? [target] : targetLines(target, text);
    said.replaceChildren(...(text === "" ? [] : [el("ul", {}, lines.map((line) => el("li", {}, line))),
      typeof target === "string" ? "" : el("p", {class: "faint answer-note"}, sweep.replications.length === 1 ? "One replication: means count, without an interval."
        : "A point meets the target where the worse end of its 95% interval does.")]));
  };
  say();
  return el("div", {class: "answer-limits answer-target"},
    el("label", {}, el("b", {}, "What meets a target? "), el("input", {type: "text", id: "sweep-target", value: sweepView.target, placeholder: exampleTarget(), spellcheck: "false",
      autocomplete: "off", list: "target-metrics", oninput: (e) => {
        sweepView.target = e.target.value;
        keepSweepHash();
        say();
      }})),
    el("datalist", {id: "target-metrics"}, sweep.metrics.map(({name}) => el("option", {value: name + (unitOf(name) === "share" ? ">=" : "<=")}))),
    said);
}
