/* The sheet of each figure of `berth plot`, made of the page's figures. */

import {withUnit} from "../base/definitions.js";
import {data} from "../base/state.js";
import {isTime, number, quantity} from "../base/text.js";
import {colour} from "../base/theme.js";
import {dayWaitsFigure} from "../calibration/day_waits_figure.js";
import {useFigure} from "../calibration/use_figure.js";
import {clusterFigure} from "../cluster/cluster_figure.js";
import {clusterUse} from "../cluster/cluster_use.js";
import {fillFigure} from "../cluster/fill_figure.js";
import {levelFigure} from "../cluster/level_figure.js";
import {membersFigure} from "../cluster/members_figure.js";
import {nearnessKinds} from "../devices/nearness.js";
import {sizesFigure} from "../devices/sizes_figure.js";
import {cumulativeFigure} from "../distributions/cumulative_figure.js";
import {distributionFigure} from "../distributions/distribution_figure.js";
import {runsFigure} from "../distributions/runs_figure.js";
import {mttfFigure} from "../failures/mttf_figure.js";
import {outagesFigure} from "../failures/outages_figure.js";
import {mixed, palette} from "../figures/colours.js";
import {timeTicks} from "../figures/time_axis.js";
import {startsFigure} from "../forecast/starts_figure.js";
import {ganttModel} from "../pods/gantt_data.js";
import {childrenFigure} from "../quotas/children_figure.js";
import {quotaFigure} from "../quotas/quota_figure.js";
import {metricsFigure} from "../series/metrics_figure.js";
import {arrivalFigure} from "../sharing/arrival_figure.js";
import {classesFigure} from "../sharing/classes_figure.js";
import {gpuTimeFigure} from "../sharing/gpu_time_figure.js";
import {boxesFigure} from "../sweep/boxes_figure.js";
import {heatFigure} from "../sweep/heat_figure.js";
import {linesFigure} from "../sweep/lines_figure.js";
import {ganttKeys, ganttPanel} from "./gantt_panel.js";
import {scalingFigure} from "./scaling_figure.js";
/** @import {Figure} from "../figures/figure.d.ts" */
/** @import {Arrival, Devices, Distribution, Run} from "../data.d.ts" */
/** @import {BoxCell} from "../sweep/sweep.d.ts" */
/** @import {Key, PaperGiven, Panel, Sheet} from "./given.d.ts" */

const [column, page] = [360, 504];  // five and seven inches, in points

/** @type {(figure: Figure | null, title?: string, weight?: number) => Panel[]} */
const panel = (figure, title, weight) => (figure ? [{figure, title, weight}] : []);

/** The name of a run before a panel's title, if there are several runs. */
const before = (/** @type {string[]} */ names, /** @type {number} */ i, text = "") => (names.length > 1 ? names[i] + (text === "" ? "" : `: ${text}`) : text);

/**
 * A figure for each run, below each other.
 * @type {(points: number, names: string[], make: (run: Run, i: number) => Figure | null, title?: (figure: Figure) => string) => Sheet}
 */
const eachRun = (points, names, make, title = () => "") => ({points, rows: data.runs.flatMap((run, i) => {
  const figure = make(run, i);
  return figure ? [panel(figure, before(names, i, title(figure)))] : [];
})});

const titleOf = (/** @type {Figure} */ {title = ""}) => title;

/** @type {(run: Run, resource: number) => {cluster: import("../data.d.ts").Cluster; use: import("../cluster/cluster.d.ts").ClusterUse}} */
function clusterGiven(run, resource) {
  const cluster = /** @type {import("../data.d.ts").Cluster} */ (run.cluster);
  return {cluster, use: clusterUse(cluster, 0, resource)};
}

/** Names above servers may be wider than their servers, because a figure on paper cannot be zoomed. */
const withWholeNames = (/** @type {Figure | null} */ figure) => figure && {...figure, option: (/** @type {number} */ width) => {
  const option = figure.option?.(width) ?? {};
  return {...option, series: option.series?.map((one) => (one.id === "domains" ? {...one, clip: false} : one))};
}};

/** @type {(given: PaperGiven) => Sheet} */
function clusterSheet({names, resources}) {
  const {cluster, use} = clusterGiven(data.runs[0], resources[0]);
  const ramp = Array.from({length: 7}, (_, i) => (i < 3.5 ? mixed(colour("busy-none"), colour("busy-some"), i / 3) : mixed(colour("busy-some"), colour("busy-full"), (i - 3) / 3)));
  /** @type {Key[]} */
  const keys = [{colours: ramp, text: `${use.resource}: each ${cluster.leaf}, from idle to full`}];
  if (use.view) {
    keys.push({colours: [colour("group")], text: `${cluster.member}s: how many` + (use.known ? `, as wide as their share of the ${cluster.leaf}` : "")});
  }
  return {keys, ...eachRun(page, names, (run, i) => withWholeNames(clusterFigure(clusterGiven(run, resources[i]))))};
}

const levelsMax = 60;

/** A figure whose legend stands above all panels. */
const withoutLegend = (/** @type {Figure | null} */ figure) => figure && {...figure, option: (/** @type {number} */ width) => {
  const option = figure.option?.(width) ?? {};
  return {...option, legend: undefined, grid: {...option.grid, top: 20}};
}, height: 200};

/** @type {(given: PaperGiven) => Sheet} */
function levelsSheet({names, resources}) {
  /** @type {Panel[][]} */
  const rows = [];
  data.runs.forEach((run, r) => {
    const given = clusterGiven(run, resources[r]);
    const {cluster, use} = given;
    if (names.length > 1) rows.push([{title: names[r]}]);
    /** @type {Panel[]} */
    let row = [];
    let sum = 0;
    cluster.levels.forEach((_, level) => {
      const count = cluster.domains[level].names.length;
      if (count < 2 || count > levelsMax) return;
      const weight = Math.min(3, Math.max(1, count / 6));
      if (sum + weight > 4 && row.length > 0) {
        rows.push(row);
        [row, sum] = [[], 0];
      }
      sum += weight;
      const figure = withoutLegend(levelFigure({...given, level}));
      row.push(...panel(figure, `${figure?.title}: ${use.resource} in use`, weight));
    });
    if (row.length > 0) rows.push(row);
    const [fill, members] = [fillFigure(given), membersFigure(given)].map(withoutLegend);
    rows.push([...panel(fill, fill?.title?.replace(/ is in use/, ` ${use.resource} is in use`), 1.4), ...panel(members, members?.title, 1)]);
  });
  const {cluster, use} = clusterGiven(data.runs[0], resources[0]);
  return {points: page, rows, keys: use.view ? [{colours: [colour("bar")], text: use.backgroundName},
    {colours: [colour("group")], text: `${cluster.member}s; ${cluster.leaf}s that hold some`}] : []};
}

/** @type {(devices: Devices, kind: string) => Devices} */
const onlyKind = (devices, kind) => ({...devices, sizes: devices.sizes.map((size) => ({...size,
  kinds: size.kinds.map((counts, k) => (kind === "" || nearnessKinds[k].metric.endsWith(kind) ? counts : [0, 0, 0]))}))});

/** @type {(given: PaperGiven) => Sheet} */
const localitySheet = ({names, kind}) => ({...eachRun(page, names, ({devices}) => (devices ? sizesFigure(onlyKind(devices, kind)) : null)),
  notes: ["dark: the share of the pods that have it", "pale: the share that could have had it"]});

/**
 * The part of a series over what has arrived that is in a range.
 * @type {(arrival: Arrival, range: [from: number, to: number]) => Arrival}
 */
function within(arrival, [from, to]) {
  const kept = arrival.arrived.map((x) => x >= from && x <= to);
  const cut = (/** @type {number[]} */ values) => values.filter((_, i) => kept[i]);
  const band = (/** @type {import("../data.d.ts").MiddleBand} */ {median, low, high}) => ({median: cut(median), low: cut(low), high: cut(high)});
  return {arrived: cut(arrival.arrived), unallocated: band(arrival.unallocated), ratio: band(arrival.ratio),
    ...(arrival.fragments ? {fragments: band(arrival.fragments)} : {}),
    classes: Object.fromEntries(Object.entries(arrival.classes).map(([name, values]) => [name, cut(values)]))};
}

/** @type {(range: [number, number]) => Run[]} */
const arrivalRuns = (range) => data.runs.map((run) => ({...run, arrival: run.arrival && within(run.arrival, range)}));

/** @type {(given: PaperGiven, field: "unallocated" | "ratio" | "fragments", title: string, ideal?: boolean) => Panel[]} */
const arrivalPanel = ({names, range}, field, title, ideal = false) =>
  panel(arrivalFigure({id: field, title, field, ideal, summary: "", from: range[0], runs: arrivalRuns(range), names}), title);

/** @type {(given: PaperGiven, name: "wait_s" | "jct_s") => Sheet} */
const cumulativeSheet = ({names}, name) => ({points: column, rows: [panel(cumulativeFigure({name, log: true, rows: data.runs.flatMap((run, i) => {
  const curve = run.cumulatives.find((one) => one.name === name);
  return curve ? [{name: names[i], curve, colour: palette()[i % 7], dash: ["solid", "dashed", "dotted"][Math.floor(i / 7) % 3]}] : [];
})}))]});

/**
 * Panels below each other have the same axis, so that their marks can be compared. The mean is in
 * the title.
 */
function onOneAxis(/** @type {Distribution[]} */ distributions) {
  const ends = distributions.map((d) => [d.from - (d.whole ? 0.5 : 0), d.from - (d.whole ? 0.5 : 0) + d.width * d.counts.length]);
  const range = {min: Math.min(...ends.map(([low]) => low)), max: Math.max(...ends.map(([, high]) => high))};
  return (/** @type {Figure} */ figure) => ({...figure, height: distributions.length > 2 ? 240 : 340, option: (/** @type {number} */ width) => {
    const option = figure.option?.(width) ?? {};
    const axes = /** @type {{axisLabel?: object}[]} */ (option.xAxis);
    const whole = distributions.every((d) => d.whole);
    const ticks = isTime(distributions[0].name) ? timeTicks(1.5 * (range.max - range.min)) : {};
    const several = distributions.length > 1 ? {customValues: undefined, ...(whole ? {showMinLabel: false, showMaxLabel: false} : {})} : {};
    return {...option, xAxis: axes.map((axis) => ({...axis, ...range, ...ticks, minInterval: whole ? 1 : 0, axisLabel: {...axis.axisLabel, ...several}})),
      series: option.series?.map((one) => (one.markLine ? {...one, markLine: {...one.markLine, label: {show: false}}} : one))};
  }});
}

/** @type {(given: PaperGiven) => Sheet} */
function distributionSheet({names, distributions}) {
  const widen = onOneAxis(distributions);
  return {points: column, rows: distributions.map((d, i) => {
    const figure = distributionFigure({d, title: d.name});
    return panel(figure && widen(figure), `${names[i]}: mean ${quantity(d.name, d.mean, d.ci95)}, n = ${number(d.n)}`);
  })};
}

/** @type {(given: PaperGiven) => Sheet} */
const comparisonSheet = ({names, distributions}) => ({points: column, rows: [panel(runsFigure({name: distributions[0].name,
  rows: distributions.map((d, i) => ({label: names[i], box: d,
    metric: {name: d.name, mean: d.mean ?? 0, ci95: d.ci95, sd: d.sd, min: d.box[0], max: d.box[4], atLeast: null, n: d.n}}))}))]});

const ganttRowsMax = 64;

/** @type {(given: PaperGiven) => Sheet} */
function ganttSheet({names, window}) {
  const rowsMax = Math.max(8, Math.floor(ganttRowsMax / data.runs.length));
  const all = data.runs.flatMap(({gantt}) => (gantt ? [gantt] : []));
  const keys = all.flatMap((gantt) => ganttKeys(ganttModel(gantt)));
  return {points: page, keys: keys.filter(({text}, i) => keys.findIndex((one) => one.text === text) === i),
    rows: all.map((gantt, i) => [ganttPanel(gantt, window, rowsMax, before(names, i))])};
}

/** @type {(given: PaperGiven) => BoxCell[]} */
const boxCells = ({cells}) => /** @type {BoxCell[]} */ (cells);

/**
 * A figure of a sweep; its title says what its legend is about.
 * @type {(given: PaperGiven, figure: Figure | null, lines: boolean) => Sheet}
 */
const sweepSheet = ({view, notes}, figure, lines) => ({points: page, notes,
  rows: [panel(figure, withUnit(view.metric) + (lines && view.by ? `, by ${view.by}` : ""))]});

/** @type {(given: PaperGiven) => Sheet} */
const startsSheet = ({starts, changes}) => ({points: page, rows: [
  panel(startsFigure({id: "forecast-starts", noun: "job", rows: starts}), "When they start"),
  panel(startsFigure({id: "forecast-changes", noun: "form", rows: changes}), "What would change it"),
].filter((row) => row.length > 0)});

/** @type {(given: PaperGiven) => Sheet} */
const calibrationSheet = ({calibration: {groups, use}}) => ({points: page, rows: [
  panel(dayWaitsFigure(groups.find(({by}) => by === "day")?.rows ?? []), "Mean wait by day"),
  panel(useFigure(use), "In use over time"),
].filter((row) => row.length > 0)});

/** @type {Record<string, (given: PaperGiven) => Sheet>} */
const sheets = {
  "calibration": calibrationSheet,
  "cluster": clusterSheet,
  "comparison": comparisonSheet,
  "distribution": distributionSheet,
  "fragment-classes": (given) => ({points: page, rows: arrivalRuns(given.range).map((run, i) =>
    panel(classesFigure({run, several: false}), before(given.names, i)))}),
  "fragmentation": (given) => ({points: page, rows: [arrivalPanel(given, "ratio", "Fragments, % of the free GPUs"), arrivalPanel(given, "fragments", "Fragments, % of all GPUs")]}),
  "gantt": ganttSheet,
  "gpu-time": ({names}) => ({points: page, rows: [panel(gpuTimeFigure({all: data.runs, allNames: names}))]}),
  "jct-cdf": (given) => cumulativeSheet(given, "jct_s"),
  "levels": levelsSheet,
  "locality": localitySheet,
  "mttf": ({names}) => ({points: page, rows: [panel(mttfFigure({runs: data.runs, names}))],
    notes: ["with the 90 % interval", "arrow: at least", "dashed: 1 / (N r), by the size alone"]}),
  "outages": ({names}) => eachRun(page, names, (run) => outagesFigure({run}), titleOf),
  "quota-areas": ({names, chosen}) => ({...eachRun(page, names, ({quotas}, i) => (quotas ? childrenFigure({quotas, chosen: chosen[i]}) : null), titleOf),
    notes: ["pale: beyond the min"]}),
  "quotas": ({names, chosen}) => eachRun(page, names, ({quotas}, i) => (quotas ? quotaFigure({quotas, chosen: chosen[i]}) : null), titleOf),
  "scaling": ({lines}) => ({points: page, rows: [panel(scalingFigure({lines}), scalingFigure({lines})?.title)]}),
  "starts": startsSheet,
  "timeseries": ({names, metrics}) => ({points: page, rows: [panel(metricsFigure({metrics, names, runs: data.runs.flatMap(({series}) => (series ? [series] : []))}))]}),
  "unallocated": (given) => ({points: page, rows: [arrivalPanel(given, "unallocated", "GPUs not allocated, % (dashed: without any fragment)", true)]}),
  "wait-cdf": (given) => cumulativeSheet(given, "wait_s"),
  "heat-map": (given) => sweepSheet(given, heatFigure({view: {...given.view, by: given.view.by ?? ""}, cells: given.cells}), false),
  "lines": (given) => sweepSheet(given, linesFigure({id: "lines", title: "", ...given, height: 280, columnsOf: () => 1}), true),
  "small-multiples": (given) => sweepSheet(given, linesFigure({id: "panels", title: "", ...given, height: 150,
    columnsOf: () => Math.min(3, new Set(given.cells.map((c) => c.panel)).size)}), true),
  "sweep-distributions": (given) => sweepSheet(given, boxesFigure({view: given.view, cells: boxCells(given), all: true}), true),
};

/** @type {(figure: string, given: PaperGiven) => Sheet} */
export function sheetOf(figure, given) {
  const make = sheets[figure];
  if (!make) throw new Error(`there is no figure ${figure}`);
  return make(given);
}
