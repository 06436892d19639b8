// What the page says in words about Kueue's cohorts and queues.

import assert from "node:assert/strict";
import test from "node:test";
import {quotaFigure} from "../../experiments/program/report/page/quotas/quota_figure.js";
import {takeSchedulers} from "../../experiments/program/report/page/base/schedulers.js";
import {kindOf} from "../../experiments/program/report/page/quotas/quota_kind.js";
import {childrenFigure} from "../../experiments/program/report/page/quotas/children_figure.js";
import {countsBelow, eachReplication, queueWords} from "../../schedulers/kueue/page/queue_words.js";
import {preemptionsFigure} from "../../schedulers/kueue/page/preemptions_figure.js";
import {page} from "../../schedulers/kueue/page/page.js";
import {sectionsInOrder} from "../../experiments/program/report/page/run_page.js";
import {byAsked} from "../../experiments/program/report/page/tables/groups_section.js";
import * as made from "./data.mjs";
import {useStyle} from "./theme.mjs";

useStyle();
takeSchedulers([page]);

test("queues: words have limits, weight, what is borrowed and means over the replications", () => {
  const quotas = made.queues(3);
  assert.equal(queueWords(quotas, quotas.kueue, 2, 0),
    "ClusterQueue borrower used 6 of gpu on average, of a nominal quota of 4 (borrowingLimit 4, weight 2, stopPolicy Hold at the end). " +
    "It borrowed for 10 s of 20 s: 2 gpu-hours. In each of 2 replications, on average, its jobs were admitted 6 times, preempted 3 times, " +
    "sent back 0.5 times because their pods were not ready; 1.5 wait for quota at the end.");
});

test("queues: a Cohort counts what is below it, and does not borrow from itself", () => {
  const quotas = made.queues(3);
  assert.deepEqual(countsBelow(quotas, quotas.kueue, 0), [20, 6, 1, 3]);
  const words = queueWords(quotas, quotas.kueue, 0, 0);
  assert.match(words, /^Cohort lab used 7 of gpu on average, of a nominal quota of 8 in it and below\./);
  assert.doesNotMatch(words, /borrowed/);
});

test("queues: the chart of one has Kueue's words, and those that were preempted as marks", () => {
  const quotas = made.queues(3);
  assert.deepEqual(kindOf(quotas).marks(quotas), [[12, 2, "InCohortReclamation", "job-1", 3, 0]]);
  const figure = quotaFigure({quotas, chosen: {chosen: 2, resource: 0}});
  assert.deepEqual(figure.columns.map(({title}) => title), ["time", "used", "nominal quota", "most it can use"]);
  assert.deepEqual(figure.option(900).series.map(({name}) => name), ["used", "nominal quota", "most it can use", "preemptions"]);
  const below = childrenFigure({quotas, chosen: {chosen: 0, resource: 0}});
  assert.match(below.summary, /Pale is what is in use beyond the nominal quota\.$/);
});

test("queues: a mean over replications is whole where it can be", () => {
  const {kueue} = made.queues();
  assert.deepEqual([4, 5, 0].map((count) => eachReplication(kueue, count)), ["2", "2.5", "0"]);
});

test("queues: what the page leaves out is said", () => {
  const {kueue} = made.queues();
  assert.equal(preemptionsFigure(kueue).summary, "Most often jobs of borrower, for lender (3).");
  assert.match(preemptionsFigure({...kueue, preemptedRows: 300}).summary, / The table has the 1 most frequent of 300 pairs with a reason\.$/);
});

test("queues: each section of Kueue stands behind the one that it names", () => {
  const ids = sectionsInOrder().map(([id]) => id);
  for (const [before, added] of Object.entries(page.sections)) {
    const at = ids.indexOf(before) + 1;
    assert.deepEqual(ids.slice(at, at + added.length), added.map(([id]) => id), `behind ${before}`);
  }
});

test("groups: those that asked alike are counted together, and only those that started have a place", () => {
  const columns = ["group", "start_s", "satisfied", "rack_used", "server_used", "asked"];
  const rows = [["a", "0", "true", "1", "4", "preferred rack"], ["b", "5", "false", "3", "4", "preferred rack"],
    ["c", "", "false", "", "", "preferred rack"], ["d", "1", "true", "2", "2", ""]];
  assert.deepEqual(byAsked({columns, rows, leftOut: 0}, ["rack", "server"]), [
    {asked: "preferred rack", groups: 3, started: 2, holds: 1, used: [{sum: 4, most: 3}, {sum: 8, most: 4}]},
    {asked: "", groups: 1, started: 1, holds: 1, used: [{sum: 2, most: 2}, {sum: 2, most: 2}]}]);
});
