// Small data for each figure, and the same data with one number changed.

import {takeData} from "../../experiments/program/report/page/base/state.js";
import {clusterUse} from "../../experiments/program/report/page/cluster/cluster_use.js";
import {filmUse} from "../../experiments/program/report/page/cluster/film.js";
import {ganttColours, ganttModel} from "../../experiments/program/report/page/pods/gantt_data.js";
import {Gantt} from "../../experiments/program/report/page/pods/gantt.js";
import {seriesLines} from "../../experiments/program/report/page/series/series_lines.js";
import {sweepCells} from "../../experiments/program/report/page/sweep/sweep_data.js";
import * as made from "./data.mjs";

const withUse = (busy, more = {}) => {
  const cluster = made.cluster(busy);
  return {cluster, use: clusterUse(cluster, 0, 0), ...more};
};
const chosen = {chosen: 2, resource: 0};
const runs = (...last) => last.map((one) => made.run({arrival: made.arrival(one), metrics: [
  made.metric("gpu_time_allocated", one / 100), made.metric("gpu_time_idle_no_demand", 1 - one / 100)]}));
const names = ["first", "second"];
const view = {metric: "wait_s_mean", x: "load", by: "policy", panel: null, where: {}};
const sweepGiven = (last, more = {}) => {
  takeData(made.page({sweep: made.sweep(last)}));
  return {view, cells: sweepCells(view), ...more};
};
const waits = (second) => {
  const mean = (name) => ({a: 5, b: second})[name];
  return {runs: [{label: "first", mean, ci95: () => null}, {label: "second", mean: (name) => 2 * mean(name), ci95: () => null}],
    names: ["a", "b"], known: ["a", "b"], longest: (name) => 2 * mean(name), noun: "quota"};
};
const film = (level) => {
  const shape = {...made.cluster(0), names: ["a", "b"], parents: [0, 1], capacity: [8], background: [0]};
  const given = made.film(level);
  return {cluster: shape, film: given, use: filmUse(shape, given, given.parts[0], () => 1)};
};
const seriesGiven = (last) => {
  const run = made.run({series: made.series(last)});
  return {run, lines: seriesLines(run, "all")};
};
const gantt = (length) => {
  const model = ganttModel(made.gantt(length));
  const [way] = ganttColours(model);
  return {model, gpus: 4, paint: (box) => new Gantt(box, model, way.make(), {window: () => {}, pod: () => {}})};
};

/**
 * For each figure by name: a function that makes its data, and two arguments. The argument is a
 * number in the data, so that the two arguments make two pictures.
 */
export const examples = {
  clusterFigure: [(busy) => withUse(busy), 2, 8],
  levelFigure: [(busy) => withUse(busy, {level: 0}), 2, 8],
  fillFigure: [(busy) => withUse(busy), 2, 8],
  membersFigure: [(count) => {
    const given = withUse(2);
    given.use.view.members.counts[1] = count;
    return given;
  }, 1, 2],
  filmFigure: [film, 200, 100],
  ganttFigure: [gantt, 5, 9],
  cumulativeFigure: [(last) => ({name: "wait_s", rows: [{name: "first", curve: made.cumulative(last), colour: "#0072b2", dash: "solid"}], log: false}), 30, 60],
  distributionFigure: [(count) => ({d: made.distribution(count), title: "wait_s_mean"}), 3, 9],
  runsFigure: [(mean) => ({name: "wait_s_mean", rows: [5, mean].map((one, i) => ({label: names[i], metric: made.metric("wait_s_mean", one, {ci95: 1}), box: undefined}))}), 7, 9],
  seriesFigure: [seriesGiven, 2, 4],
  metricsFigure: [(last) => ({metrics: ["pods_waiting", "gpu_utilization"], runs: [made.series(last), made.series(1)], names}), 2, 4],
  scalingFigure: [(median) => ({lines: [made.benchmark("cycle", median), made.benchmark("events", 1e-6, {unit: "an event", sizeOf: "events"})]}), 2e-6, 4e-6],
  useFigure: [(share) => ({resource: "nvidia.com/gpu", capacity: 8, time_s: [0, 3600], recorded: [0.5, 0.25], simulated: [0.5, share], distance: 0.1}), 0.75, 1],
  startsFigure: [(latest) => ({id: "forecast-starts", noun: "job", rows: [{name: "first", start: made.starts(latest)}, {name: "second", start: made.starts(null)}]}), 9000, 7200],
  dayWaitsFigure: [(wait) => [made.waits("0", 60, wait), made.waits("1", 120, 30)], 90, 30],
  courseFigure: [(last) => made.run({course: made.course(last), window: {from: 5, to: null, rule: "fixed"}}), 2, 4],
  quotaFigure: [(used) => ({quotas: made.quotas(used), chosen}), 6, 5],
  childrenFigure: [(used) => ({quotas: made.quotas(used), chosen}), 6, 5],
  lendingFigure: [(used) => ({quotas: made.quotas(used), chosen}), 6, 5],
  waitsFigure: [waits, 9, 3],
  queueWaitingFigure: [(most) => ({quotas: made.queues(most), chosen}), 3, 5],
  queueShareFigure: [(most) => ({quotas: made.queues(most), chosen}), 3, 5],
  preemptionsFigure: [(times) => made.queues(times).kueue, 3, 5],
  sizesFigure: [made.devices, 2, 3],
  windowsFigure: [(reached) => ({run: made.run({devices: made.devices(reached)}), kind: 2}), 2, 3],
  freeFigure: [(reached) => made.run({devices: made.devices(reached)}), 2, 3],
  deviceRunsFigure: [(reached) => ({bars: names.map((label) => ({label, values: [{reached, attainable: 0.9}]})), panels: [{title: "NUMA"}]}), 0.5, 0.75],
  arrivalFigure: [(last) => ({id: "unallocated", title: "Left", field: "unallocated", summary: "", ideal: true, runs: runs(20, last), names}), 30, 40],
  classesFigure: [(last) => ({run: made.run({arrival: made.arrival(last)}), several: false}), 30, 40],
  gpuTimeFigure: [(last) => ({all: runs(20, last), allNames: names}), 30, 40],
  outagesFigure: [(until) => ({run: made.run({failures: made.failures({until})})}), 6, 9],
  gpuHoursFigure: [(redone) => ({run: made.run({failures: made.failures({redone})})}), 3600, 7200],
  mttfFigure: [(mttf) => ({runs: [made.run({failures: made.failures({mttf})})], names}), 3600, 7200],
  publishedFigure: [(count) => ({figure: made.claim(count).figure, run: made.run({cluster: made.cluster()})}), 2, 5],
  forestFigure: [(difference) => ({comparison: made.comparison(difference), names}), 3, 4],
  waitingFigure: [(pods) => [["no GPU is free", 5], ["the quota is used up", pods]], 3, 4],
  linesFigure: [(last) => sweepGiven(last, {id: "lines", title: "Lines", height: 300, columnsOf: () => 1}), 12, 20],
  heatFigure: [sweepGiven, 12, 20],
  boxesFigure: [sweepGiven, 12, 20],
};
