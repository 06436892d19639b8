/* The page's data and the reader's choices. Only this module changes them. */

import {unpackedNumbers} from "./unpack.js";
/** @import {DrawnChart} from "../figures/figure.d.ts" */
/** @import {PackedNumbers, PageData, Run, Series, Sweep, WrittenPage, WrittenSeries} from "../data.d.ts" */
/** @import {State} from "./page.d.ts" */

/**
 * The data that the program wrote into the page.
 * @type {PageData}
 */
export let data = {schema: "berth.page/v1", definitions: {}, runs: []};
/** An empty sweep, for pages of runs, which have no sweep. */
const noSweep = {name: "", directory: "", answer: {question: "", given: "", nothing: "", numbers: [], averages: [], warnings: []},
  defaults: {metric: "", x: "", by: null, panel: null}, target: "", axes: [], keys: [], unfinished: [], replications: [], seeds: [], t95: [],
  metrics: [], leftOut: [], against: null, configuration: ""};
/**
 * The sweep, on the page of a sweep.
 * @type {Sweep}
 */
export let sweep = noSweep;
/**
 * The names of the runs: those of their experiments or, if these are equal, of their folders.
 * @type {string[]}
 */
export let runNames = [];
/**
 * The reader's choices.
 * @type {State}
 */
export const state = {run: 0, view: 0, resource: 0, distribution: 0, compared: 0, series: "all", quota: null,
  nearness: 2, server: 0, serverTime: null, filmPart: null, filmMoment: null, ganttWay: 0, cumulativeLog: true};
/**
 * The charts that are drawn, by the ids of their figures.
 * @type {Map<string, DrawnChart>}
 */
export const charts = new Map();

/** @type {(runs: Run[]) => string[]} */
function namesOf(runs) {
  const differ = (/** @type {string[]} */ names) => new Set(names).size === names.length;
  const wanted = [runs.map((run) => run.experiment), runs.map((run) => run.directory)].find(differ);
  return wanted ?? runs.map((run, i) => `${run.directory} (${i + 1})`);
}

/**
 * Series are unpacked once for all figures that draw them.
 * @type {(series: WrittenSeries) => Series}
 */
function unpackSeries({columns, count, runs, band}) {
  const times = (/** @type {PackedNumbers} */ column, /** @type {number} */ points) => unpackedNumbers(column, points).map(Number);
  const all = (/** @type {PackedNumbers[]} */ list, /** @type {number} */ points) => list.map((column) => unpackedNumbers(column, points));
  return {columns, count,
    runs: runs.map(({replication, points, time, values}) => ({replication, time: times(time, points), values: all(values, points)})),
    ...(band ? {band: {time: times(band.time, band.points), mean: all(band.mean, band.points), low: all(band.low, band.points),
      high: all(band.high, band.points)}} : {})};
}

/**
 * Sets the data of the page.
 * @param {WrittenPage} given
 */
export function takeData(given) {
  data = {...given, runs: given.runs.map((run) => ({...run, series: run.series && unpackSeries(run.series), course: run.course && unpackSeries(run.course)}))};
  sweep = data.sweep ?? noSweep;
  runNames = namesOf(data.runs);
  chooseRun(0);
}

/**
 * Switches to another run and resets the choices that belonged to the run before.
 * @param {number} run
 */
export function chooseRun(run) {
  Object.assign(state, {run, view: 0, resource: data.runs[run]?.cluster?.paid ?? 0, distribution: 0, series: "all", quota: null,
    server: 0, serverTime: null, filmPart: null, filmMoment: null, ganttWay: 0});
}
