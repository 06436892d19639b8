/* What the page is about, and what the reader has chosen: the one place that owns either. */

import {unpackedNumbers} from "./unpack.js";

/** What the program wrote into the page. */
export let data = {schema: "berth.page/v1", definitions: {}, runs: []};
/** The sweep on a page of one; undefined on a page of runs. */
export let sweep = data.sweep;
/** Runs by their experiments' names, or where these are alike by their folders. */
export let runNames = [];
/** What the reader has chosen. */
export const state = {run: 0, view: 0, resource: 0, distribution: 0, compared: 0, series: "all", quota: null,
  nearness: 2, server: 0, serverTime: null, filmPart: null, filmMoment: null, ganttWay: 0, cumulativeLog: true};
/** The charts that are drawn, by the figures' ids. */
export const charts = new Map();

function namesOf(runs) {
  const differ = (names) => new Set(names).size === names.length;
  const wanted = [runs.map((run) => run.experiment), runs.map((run) => run.directory)].find(differ);
  return wanted ?? runs.map((run, i) => `${run.directory} (${i + 1})`);
}

/** Series are unpacked once, for all that draw them. */
function unpackSeries(series) {
  for (const one of series ? [...series.runs, ...(series.band ? [series.band] : [])] : []) {
    one.time = unpackedNumbers(one.time, one.points);
    for (const columns of ["values", "mean", "low", "high"]) {
      one[columns] = one[columns]?.map((column) => unpackedNumbers(column, one.points));
    }
  }
}

/** The page is about this from now on. */
export function takeData(given) {
  data = given;
  sweep = given.sweep;
  runNames = namesOf(given.runs);
  given.runs.forEach((run) => unpackSeries(run.series));
  chooseRun(0);
}

/** Another run: what was chosen in the one before does not hold for it. */
export function chooseRun(run) {
  Object.assign(state, {run, view: 0, resource: data.runs[run]?.cluster?.paid ?? 0, distribution: 0, series: "all", quota: null,
    server: 0, serverTime: null, filmPart: null, filmMoment: null, ganttWay: 0});
}
