/* The steps from the available GPU-hours to the GPU-hours of work that lasts. */

import {markup, number, percent1} from "../base/text.js";
import {colour} from "../base/theme.js";
import {axis, nameLabels, tooltip} from "../figures/look.js";
/** @import {Run} from "../data.d.ts" */
/** @import {FigureMaker, TipPoint} from "../figures/figure.d.ts" */

/**
 * Uses of the time in which jobs have GPUs but do no lasting work, in the order in which they are
 * subtracted.
 */
const withoutGain = ["hung", "restart", "checkpoint", "redone"];

/** @type {Record<string, string>} */
const words = {failed: "server out", no_demand: "not asked for", quota: "over quota", gang_waiting: "gang too large", split: "not together", nic_mismatch: "no NIC near",
  cpu_or_memory: "no CPU or memory", model_mismatch: "other model", fragmented: "fragments", scheduler: "scheduler", spare: "kept free",
  hung: "hung", restart: "restarts", checkpoint: "checkpoints", redone: "done again"};

/** @typedef {{text: string; hours: number; from: number; kind: "whole" | "idle" | "lost" | "left"}} Step */

/**
 * The bars from left to right. A bar that subtracts begins where the one before it ends.
 * @type {(uses: Map<string, number>) => Step[]}
 */
function stepsOf(uses) {
  const hours = (/** @type {string} */ use) => (uses.get(use) ?? 0) / 3600;
  const all = [...uses.values()].reduce((sum, seconds) => sum + seconds, 0) / 3600;
  const idle = [...uses.keys()].filter((use) => use !== "allocated" && !withoutGain.includes(use));
  const order = ["failed", ...idle.filter((use) => use !== "failed").sort((a, b) => hours(b) - hours(a))].filter((use) => hours(use) > 0);
  let at = all;
  const take = (/** @type {string} */ use, /** @type {Step["kind"]} */ kind) => {
    at -= hours(use);
    return {text: words[use] ?? use.replaceAll("_", " "), hours: hours(use), from: at, kind};
  };
  const before = order.map((use) => take(use, "idle"));
  /** @type {Step} */
  const held = {text: "had by jobs", hours: at, from: 0, kind: "whole"};
  const behind = withoutGain.filter((use) => hours(use) > 0).map((use) => take(use, "lost"));
  return [{text: "bought", hours: all, from: 0, kind: "whole"}, ...before, held, ...behind, {text: "trained", hours: hours("allocated"), from: 0, kind: "left"}];
}

/** @type {FigureMaker<{run: Run}>} */
export function gpuHoursFigure({run}) {
  const uses = new Map(run.failures?.gpuTime ?? []);
  const steps = stepsOf(uses);
  const all = steps[0].hours;
  if (!(all > 0)) return null;
  const colours = {whole: colour("bar"), idle: colour("series-7"), lost: colour("fails"), left: colour("holds")};
  const trained = steps[steps.length - 1].hours;
  return {
    id: "gpu-hours",
    title: "From GPU-hours bought to GPU-hours trained",
    height: 52 + 26 * steps.length,
    summary: `Of ${number(Math.round(all))} GPU-hours, ${percent1(trained / all)} went into work that lasts: ` +
      steps.slice(1, -1).filter((step) => step.kind !== "whole").map((step) => `${step.text} ${percent1(step.hours / all)}`).join(", ") +
      `. Of the whole run${run.replications > 1 ? ", mean over the replications" : ""}; what a background has counts as trained.`,
    columns: [{title: "step", class: "name"}, {title: "GPU-hours", number: true}, {title: "of all", number: true}],
    rows: () => steps.map((step) => [step.text, number(Number(step.hours.toPrecision(6))), percent1(step.hours / all)]),
    option: (width) => ({
      grid: {outerBoundsMode: "none", left: Math.min(width * 0.36, 130), right: 62, top: 6, bottom: 40},
      tooltip: tooltip({trigger: "item", formatter: (/** @type {TipPoint<number, {step: Step}>} */ p) =>
        `<b>${markup(p.data.step.text)}</b><br>${number(Number(p.data.step.hours.toPrecision(4)))} GPU-hours, ${percent1(p.data.step.hours / all)}`}),
      xAxis: axis({type: "value", min: 0, max: all, name: "GPU-hours", nameLocation: "middle", nameGap: 26, axisLabel: {formatter: (v) => number(Math.round(v)), showMaxLabel: false}}),
      yAxis: axis({type: "category", inverse: true, data: steps.map((step) => step.text), splitLine: {show: false}, axisLine: {show: false},
        axisLabel: nameLabels(width * 0.34, {color: colour("ink")})}),
      series: [
        {type: "bar", stack: "hours", silent: true, itemStyle: {color: "transparent"}, tooltip: {show: false}, data: steps.map((step) => step.from)},
        {type: "bar", stack: "hours", barMaxWidth: 18,
          label: {show: true, position: "right", color: colour("muted"), fontSize: 12, formatter: (/** @type {TipPoint<number, {step: Step}>} */ p) => percent1(p.data.step.hours / all)},
          data: steps.map((step) => ({value: step.hours, step, itemStyle: {color: colours[step.kind]}}))},
      ],
    }),
  };
}
