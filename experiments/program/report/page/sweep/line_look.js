/* The look of lines and of their axes. */

import {lastOf} from "../base/lists.js";
import {data} from "../base/state.js";
import {inUnit} from "../base/text.js";
import {palette} from "../figures/colours.js";
import {axis, labelsBelow, linesOf} from "../figures/look.js";
import {rounded} from "./sweep_data.js";
/** @import {AxisOption} from "../figures/figure.d.ts" */
/** @import {LineLook, SweepCell} from "./sweep.d.ts" */
/** @import {SweepAxis} from "../data.d.ts" */

const lineSymbols = ["circle", "rect", "triangle", "diamond", "emptyCircle", "path://M-1,-0.9L1,-0.9L0,1Z",
  "path://M-1,-0.4H-0.4V-1H0.4V-0.4H1V0.4H0.4V1H-0.4V0.4H-1Z"];

/** @type {(string | number[])[]} */
const lineDashes = ["solid", [7, 4], [2, 3], [9, 3, 2, 3]];

/**
 * A colour, a symbol and a dash for each line. No two lines share all three of them.
 * @type {(i: number) => LineLook}
 */
export const lineLook = (i) => ({
  colour: palette()[i % 7],
  symbol: lineSymbols[(i + Math.floor(i / 7)) % 7],
  dash: lineDashes[(i + Math.floor(i / 7)) % 4],
});

/**
 * Round ends for an axis of values. It starts at zero unless that wastes more than half of it.
 * @param {number} low
 * @param {number} high
 */
export function roundRange(low, high) {
  const from = low >= 0 && low < high * 0.6 ? 0 : low;
  const span = high - from || Math.abs(high) || 1;
  const power = 10 ** Math.floor(Math.log10(span / 4));
  const step = [1, 2, 2.5, 5, 10].map((s) => s * power).find((s) => s >= span / 4 - 1e-12) ?? 10 * power;
  const min = Math.floor(from / step + 1e-9) * step;
  return {min: low >= 0 ? Math.max(0, min) : min, max: Math.ceil((from + span) / step - 1e-9) * step, interval: step};
}

/**
 * A number beside an axis, in a short form for any size.
 * @type {(metric: string, v: number) => string}
 */
export function tick(metric, v) {
  const value = rounded(v);
  const size = Math.abs(value);
  if (/(^|_)bytes(_|$)/.test(metric) || size === 0 || (size < 1e6 && size >= 1e-4)) return inUnit(metric, value);
  return Number(value.toPrecision(4)).toExponential().replace("e+", "e");
}

/**
 * The scale of an axis: logarithmic if the values are more evenly spaced on that scale, as 1, 10,
 * 100 are.
 * @param {number[]} numbers
 */
export function scaleOf(numbers) {
  if (numbers.length < 3 || numbers[0] <= 0) return "value";
  const unevenness = (/** @type {number[]} */ values) => {
    const gaps = values.slice(1).map((v, i) => v - values[i]);
    return Math.max(...gaps) / Math.min(...gaps);
  };
  return unevenness(numbers) > 4 && unevenness(numbers.map(Math.log)) * 2 < unevenness(numbers) ? "log" : "value";
}

/**
 * The number of lines that the names below an axis take. Numbers take one.
 * @type {(a: SweepAxis, width: number) => number}
 */
export const nameLines = (a, width) => (a.numbers === null ? linesOf(a.values, width / a.values.length - 6) : 1);

/**
 * The x axis of a figure: numbers at their own places, or names side by side.
 * @param {SweepAxis} a
 * @param {number} width
 * @param {AxisOption} more
 */
export function xAxisOf(a, width, more) {
  const shown = {name: a.name, nameLocation: "middle", nameGap: 26, splitLine: {show: false}, ...more};
  if (a.numbers === null) {
    return axis({type: "category", data: a.values, ...shown, nameGap: 26 + 13 * (nameLines(a, width) - 1),
      axisLabel: labelsBelow(width / a.values.length - 6)});
  }
  const numbers = a.numbers;
  const span = lastOf(numbers) - numbers[0];
  const scale = scaleOf(numbers);
  const pad = scale === "log" ? {min: numbers[0] / 1.15, max: lastOf(numbers) * 1.15}
    : {min: numbers[0] - (span * 0.03 || 1), max: lastOf(numbers) + (span * 0.03 || 1)};
  const every = Math.max(1, Math.ceil(numbers.length * 34 / width));
  return axis({type: scale, ...pad, ...shown,
    axisLabel: {customValues: numbers.filter((_, i) => i % every === 0), formatter: (v) => a.values[numbers.indexOf(v)] ?? ""}});
}

/**
 * The ends that means and intervals need. If no mean is negative, the axis is not negative either.
 * @param {string} metric
 * @param {SweepCell[]} cells
 */
export function bounds(metric, cells) {
  const low = Math.min(...cells.map((c) => c.mean - (c.ci95 ?? 0)));
  const least = Math.min(...cells.map((c) => c.mean));
  const high = Math.max(...cells.map((c) => c.mean + (c.ci95 ?? 0)));
  const share = cells.every((c) => c.mean <= 1) && data.definitions?.[metric]?.unit === "share";
  return roundRange(least >= 0 ? Math.max(0, low) : low, share ? Math.min(1, high) : high);
}

/**
 * The unit of a metric, at the top of its axis.
 * @param {string} metric
 */
export const unitName = (metric) => (data.definitions?.[metric]?.unit ? {name: data.definitions[metric].unit, nameLocation: "end", nameGap: 8,
  nameTextStyle: {align: "right"}} : {});
