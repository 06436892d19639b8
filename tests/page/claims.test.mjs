// The page of claims: its sentence, its figures, and the runs that share a table.

import assert from "node:assert/strict";
import test from "node:test";
import {useStyle} from "./theme.mjs";
import {claim, cluster, run} from "./data.mjs";
import {heldText} from "../../experiments/program/report/page/claims/claims_section.js";
import {withOneTable} from "../../experiments/program/report/page/claims/numbers_tables.js";
import {publishedFigure} from "../../experiments/program/report/page/claims/published_figure.js";
import {csvOf} from "../../experiments/program/report/page/base/text.js";

useStyle();

const claims = (...holds) => holds.map((one) => ({...claim(), holds: one}));

test("claims: the sentence counts those that hold", () => {
  assert.equal(heldText(claims(true, true)), "2 of 2 claims hold");
  assert.equal(heldText(claims(true, false)), "1 of 2 claims holds");
  assert.equal(heldText(claims(true)), "The one claim holds");
  assert.equal(heldText(claims(false)), "0 of 1 claim hold");
});

test("claims: what was published by node stands over all nodes of the level, with what they had in use", () => {
  const {figure} = claim(5);
  const made = publishedFigure({figure, run: run({cluster: cluster(4)})});
  assert.equal(csvOf(made.columns, made.rows), "rack,published,measured\nrack-1,2,5\nrack-2,1,1\n");
  const [usedPublished, published, usedMeasured, measured] = made.option(400).series;
  // Four of sixteen GPUs are in use; three members take five GPUs, two each on the first rack's
  // server.
  assert.deepEqual(usedPublished.data, [0.25, 0]);
  assert.deepEqual(usedMeasured.data, usedPublished.data);
  assert.deepEqual(published.data, [2 * 2 / 16, 2 / 16]);
  assert.deepEqual(measured.data, [5 * 2 / 16, 2 / 16]);
});

test("claims: without the cluster, nodes of a figure are drawn by their members alone", () => {
  const made = publishedFigure({figure: claim(5).figure, run: run()});
  assert.deepEqual(made.option(400).series.map(({data}) => data), [[0, 0], [2, 1], [0, 0], [5, 1]]);
});

test("claims: by members, both sides stand at each number that either has", () => {
  const figure = {level: "server", by: "members", published: {8: 10, 1: 1}, measured: {8: 9, 2: 4}};
  const made = publishedFigure({figure, run: run()});
  assert.equal(csvOf(made.columns, made.rows), "members on a server,published,measured\n1,1,0\n2,0,4\n8,10,9\n");
  assert.match(made.summary, /^Published: 1 server with 1, 10 servers with 8\. Measured: 4 servers with 2, 9 servers with 8\.$/);
});

test("claims: runs with the same numbers share a table", () => {
  const numbers = (...titles) => ({run: run({answer: {numbers: titles.map((title) => ({title}))}})});
  const [a, b, c] = [numbers("wait", "use"), numbers("use"), numbers("wait", "use")];
  assert.deepEqual(withOneTable([a, b, c]), [[a, c], [b]]);
});
