/* Waits or completion times of all runs, as cumulative distributions. */

import {lastOf} from "../base/lists.js";
import {duration, isPlain, markup, number, percent, percent1, plural} from "../base/text.js";
import {axis, plainLineLegend, tooltip} from "../figures/look.js";
import {timeTicks} from "../figures/time_axis.js";
/** @import {Cumulative} from "../data.d.ts" */
/** @import {FigureMaker, NumberTip} from "../figures/figure.d.ts" */

/** @typedef {"wait_s" | "jct_s"} CumulativeName */
/** @typedef {{name: string; curve: Cumulative; colour: string; dash: string}} CurveRow */

/** @type {CumulativeName[]} */
export const cumulativeNames = ["wait_s", "jct_s"];
/** @type {Record<CumulativeName, string>} */
const cumulativeTitles = {wait_s: "Wait", jct_s: "Completion time"};

/**
 * The share of samples that are at most this value.
 * @type {(curve: Cumulative, value: number) => number}
 */
export function shareAt(curve, value) {
  let [low, high] = [0, curve.value.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (curve.value[middle] <= value) low = middle + 1;
    else high = middle;
  }
  return low === 0 ? 0 : curve.share[low - 1];
}

/**
 * The least value that this share reaches; null if it is not known, because the longest samples
 * have not ended.
 * @type {(curve: Cumulative, share: number) => number | null}
 */
export function quantileOf(curve, share) {
  const i = curve.share.findIndex((s) => s >= share - 1e-12);
  return i < 0 ? null : curve.value[i];
}

/** The labels of a time axis in powers of ten. */
const decades = [1e-3, 1e-2, 0.1, 1, 10, 60, 600, 3600, 21600, 86400, 604800, 2592000, 31536000];

/** @type {FigureMaker<{name: CumulativeName; rows: CurveRow[]; log: boolean}>} */
export function cumulativeFigure({name, rows, log}) {
  const most = Math.max(...rows.map(({curve}) => lastOf(curve.value))) || 1;
  const positive = rows.flatMap(({curve}) => curve.value.filter((v) => v > 0));
  const least = log ? Math.min(Math.max(Math.min(...positive), most / 1e7), most / 10) : 0;
  const x = (/** @type {number} */ value) => (log ? Math.log10(Math.max(value, least)) : value);
  const points = (/** @type {Cumulative} */ curve) => {
    const list = [[x(least), shareAt(curve, least)]];
    curve.value.forEach((value, i) => {
      if (value > least) list.push([x(value), curve.share[i]]);
    });
    // otherwise, nothing is known beyond its last value
    if (lastOf(curve.share) === 1) list.push([x(most), 1]);
    return list;
  };
  const rounded = (/** @type {number} */ value) => duration(Number(value.toPrecision(3)));
  const shown = (/** @type {Cumulative} */ curve, /** @type {number} */ q) => {
    const value = quantileOf(curve, q);
    return value == null ? `more than ${rounded(lastOf(curve.value))}` : `up to ${rounded(value)}`;
  };
  const cell = (/** @type {Cumulative} */ curve, /** @type {number} */ q) => {
    const value = quantileOf(curve, q);
    return value != null ? duration(value) : isPlain() ? "" : shown(curve, q);
  };
  const open = (/** @type {Cumulative} */ {goingOn, neverStarted}) => (goingOn > 0 ? `; ${number(goingOn)} had not ended` : "") +
    (neverStarted > 0 ? `; ${percent1(neverStarted)} never started` : "");
  const ticks = decades.filter((t) => t >= least * 0.999 && t <= most);
  const quantiles = [0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 1];
  return {
    id: `cdf-${name.replace("_s", "")}`,
    title: cumulativeTitles[name],
    height: 300 + 18 * Math.ceil(rows.length / 4),
    summary: rows.map((row) => `${row.name}: half of ${plural(row.curve.n, "pod")} ${shown(row.curve, 0.5)}, 90% ${shown(row.curve, 0.9)}, ` +
      `99% ${shown(row.curve, 0.99)}${open(row.curve)}`).join("; ") + ".",
    columns: [{title: "share of the pods"}, ...rows.map((row) => ({title: row.name, number: true}))],
    rows: () => quantiles.map((q) => [percent(q), ...rows.map(({curve}) => cell(curve, q))]),
    csv: {columns: [{title: "run"}, {title: name}, {title: "share of the pods"}],
      rows: () => rows.flatMap((row) => row.curve.value.map((value, i) => [row.name, number(value), percent(row.curve.share[i])]))},
    option: () => ({
      legend: rows.length > 1 ? plainLineLegend({top: 0, left: 0, right: 0, data: rows.map((row) => row.name)}) : undefined,
      grid: {outerBoundsMode: "none", left: 48, right: 26, top: rows.length > 1 ? 20 + 18 * Math.ceil(rows.length / 4) : 12, bottom: 46},
      tooltip: tooltip({trigger: "axis", formatter: (/** @type {NumberTip[]} */ list) => {
        const value = log ? 10 ** list[0].axisValue : list[0].axisValue;
        return `<b>up to ${duration(Number(value.toPrecision(3)))}</b><table class="tip">` + rows.map((row) =>
          `<tr><td><span class="dot" style="background:${row.colour}"></span>${markup(row.name)}</td><td class="number">${value > lastOf(row.curve.value) && lastOf(row.curve.share) < 1 ? "not known" : percent1(shareAt(row.curve, value * 1.0001))}</td></tr>`).join("") + "</table>";
      }}),
      xAxis: axis({type: "value", min: x(least), max: x(most), name: `${cumulativeTitles[name].toLowerCase()}${log ? " (logarithmic)" : ""}`,
        nameLocation: "middle", nameGap: 28, ...(log ? {} : timeTicks(most)), splitLine: {show: false},
        axisLabel: {formatter: (v) => duration(log ? decades.find((t) => t >= 10 ** v * 0.999) ?? 10 ** v : v), ...(log ? {customValues: ticks.map(x)} : {})}}),
      yAxis: axis({type: "value", min: 0, max: 1, interval: 0.25, axisLine: {show: false, onZero: false}, axisLabel: {formatter: (v) => percent(v)}}),
      series: rows.map((row) => ({name: row.name, type: "line", step: "end", showSymbol: false, symbol: "none", itemStyle: {color: row.colour},
        lineStyle: {width: 1.8, color: row.colour, type: row.dash}, data: points(row.curve)})),
    }),
  };
}
