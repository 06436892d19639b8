/* The time of one unit of work over its size: a line for each benchmark, on logarithmic axes. */

import {lastOf} from "../base/lists.js";
import {plural} from "../base/text.js";
import {axis, lineLegend} from "../figures/look.js";
import {lineLook} from "../sweep/line_look.js";
/** @import {SureFigureMaker} from "../figures/figure.d.ts" */
/** @import {Benchmark} from "./given.d.ts" */

/** A number with groups of digits: `12 500`. */
const sizeText = (/** @type {number} */ size) => String(Math.round(size)).replace(/\B(?=(\d{3})+$)/g, " ");

/** @type {[seconds: number, name: string][]} */
const units = [[1e-9, "ns"], [1e-6, "µs"], [1e-3, "ms"], [1, "s"]];

/** @param {number} seconds */
function timeText(seconds) {
  const [unit, name] = units.find(([size]) => seconds < 999 * size) ?? lastOf(units);
  return `${Number((seconds / unit).toPrecision(3))} ${name}`;
}

/**
 * The powers of ten between two ends; if these are less than two decades apart, also their
 * multiples by two and five.
 * @type {(low: number, high: number) => number[]}
 */
function roundValues(low, high) {
  const steps = high < 100 * low ? [1, 2, 5] : [1];
  const powers = Array.from({length: 40}, (_, i) => i - 20);
  return powers.flatMap((power) => steps.map((step) => Number(`${step}e${power}`))).filter((v) => v >= low && v <= high);
}

/** @type {(lines: Benchmark[], field: "unit" | "sizeOf") => string[]} */
const different = (lines, field) => [...new Set(lines.map((line) => line[field]).filter((text) => text !== ""))];

/** @type {(values: number[], by: number) => {min: number; max: number}} */
const ends = (values, by) => ({min: Math.min(...values) / by, max: Math.max(...values) * by});

/** @type {SureFigureMaker<{lines: Benchmark[]}>} */
export function scalingFigure({lines}) {
  const [unit, ...otherUnits] = different(lines, "unit");
  const counted = different(lines, "sizeOf");
  const text = (/** @type {Benchmark} */ line) => line.name + (otherUnits.length > 0 ? `: ${line.unit}` : "") +
    (counted.length > 1 && line.sizeOf !== "" ? `, by ${line.sizeOf}` : "");
  const names = lines.map(text);
  const x = ends(lines.flatMap(({at}) => at.map(([size]) => size)), 1.2);
  const y = ends(lines.flatMap(({at}) => at.map(([, , median]) => median)), 1.5);
  return {
    id: "scaling",
    title: otherUnits.length === 0 ? `Median time of one unit: ${unit}` : "Median time of one unit, which the legend names",
    height: 390,
    summary: `${plural(lines.length, "benchmark")}: ` + lines.map(({name, at}) => `${name} ${timeText(lastOf(at)[2])} at ${sizeText(lastOf(at)[0])}`).join(", ") + ".",
    columns: ["benchmark", "size", "size_of", "unit", "best_s", "median_s"].map((title) => ({title})),
    rows: () => lines.flatMap((line) => line.at.map(([size, best, median]) => [line.name, size, line.sizeOf, line.unit, best, median])),
    option: () => ({
      legend: lineLegend({top: 0, left: 0, right: 0, itemWidth: 30, data: names}),
      grid: {outerBoundsMode: "none", left: 66, right: 30, top: 30, bottom: 48},
      xAxis: axis({type: "log", logBase: 10, ...x, name: counted.join(", ").replace(/, (?=[^,]*$)/, " or ") || "size", nameLocation: "middle", nameGap: 28,
        axisLabel: {formatter: sizeText, customValues: roundValues(x.min, x.max)}}),
      yAxis: axis({type: "log", logBase: 10, ...y, axisLine: {show: false, onZero: false}, axisLabel: {formatter: timeText, customValues: roundValues(y.min, y.max)}}),
      series: lines.map((line, i) => {
        const look = lineLook(i);
        // Lines of one colour also differ in their dashes.
        const {dash} = lineLook((i + 2 * Math.floor(i / 7)) % 4);
        return {type: "line", name: names[i], symbol: look.symbol, symbolSize: 7, showAllSymbol: true, itemStyle: {color: look.colour},
          lineStyle: {width: 1.8, type: dash, color: look.colour}, data: line.at.map(([size, , median]) => [size, median])};
      }),
    }),
  };
}
