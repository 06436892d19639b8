/* What the jobs did that train models: a row for each model. */

import {el} from "../../../experiments/program/report/page/base/dom.js";
import {table} from "../../../experiments/program/report/page/base/table.js";
import {duration, number, percent1, plural} from "../../../experiments/program/report/page/base/text.js";
/** @import {Made} from "../../../experiments/program/report/page/base/page.d.ts" */
/** @import {Run, TrainedModel} from "../../../experiments/program/report/page/data.d.ts" */

const few = (/** @type {number} */ value) => number(Number(value.toPrecision(3)));
const sum = (/** @type {TrainedModel[]} */ models, /** @type {(one: TrainedModel) => number} */ of) => models.reduce((all, one) => all + of(one), 0);
const share = (/** @type {number} */ part, /** @type {number} */ all) => (all > 0 ? percent1(part / all) : "–");

/** @type {(run: Run) => Made} */
export function trainingSection(run) {
  const models = run.training?.models;
  if (!models) return null;
  const trained = sum(models, (one) => one.trained);
  const launching = sum(models, (one) => one.launching);
  const lost = sum(models, (one) => one.lost);
  const all = trained + launching + lost;
  const columns = [
    {title: "model", class: "name"},
    {title: "jobs", number: true},
    {title: "finished", number: true},
    {title: "steps done", number: true, help: "in steps of the batch size that each job has at the end"},
    {title: "of all steps", number: true},
    {title: "steps/s", number: true, help: "steps done over the time of training that was kept, with the speed of each job's GPUs together"},
    {title: "launches per job", number: true},
    {title: "time of launches", number: true, help: "summed over jobs: they hold their GPUs and do not train"},
    {title: "work lost", number: true, help: "time of training that was done again, summed over jobs"},
  ];
  return [
    el("p", {class: "lead"}, `${plural(sum(models, (one) => one.jobs), "job")}${run.replications > 1 ? ` in ${plural(run.replications, "replication")}` : ""} trained ` +
      `${plural(models.length, "model")} in ${number(sum(models, (one) => one.launches))} launches. Of the time at their places, ` +
      `${share(trained, all)} went into steps that were kept, ${share(launching, all)} into launches, and ${share(lost, all)} into work that was lost.`),
    table(columns, () => models.map((one) => [one.model, number(one.jobs), number(one.finished), number(Math.floor(one.done)),
      share(one.done, one.steps), one.trained > 0 ? few(one.done / one.trained) : "–", few(one.launches / one.jobs), duration(one.launching), duration(one.lost)]),
    {label: "What was trained", shown: 20}),
  ];
}
