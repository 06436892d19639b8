/* The time between interruptions of jobs, by their size. */

import {duration, markup, number, plural} from "../base/text.js";
import {palette} from "../figures/colours.js";
import {axis, legend, tooltip} from "../figures/look.js";
/** @import {Run, SizeFailures} from "../data.d.ts" */
/** @import {ChartSeries, FigureMaker, TipPoint} from "../figures/figure.d.ts" */

/**
 * A run. The x positions of its marks are `shift` times their sizes, so that the marks of several
 * runs are side by side.
 * @typedef {{name: string; colour: string; sizes: SizeFailures[]; shift: number}} Line
 */

/** @type {(size: SizeFailures, noun: string) => string} */
const sizeText = ({min, max}, noun) => (min === max ? plural(max, noun) : `${number(min)} to ${plural(max, noun)}`);
/** @type {(size: SizeFailures) => string} */
const timeText = ({mttf, low, high}) => (mttf === null || high === null ? `at least ${duration(low)}` : `${duration(mttf)} (${duration(low)} to ${duration(high)})`);

/**
 * A bar over each interval; for a size without interruptions, an arrow upwards from the lower end.
 * @type {(line: Line, unit: number) => ChartSeries}
 */
const intervals = (line, unit) => ({name: line.name, type: "custom", silent: true, clip: true, itemStyle: {color: line.colour}, encode: {x: 0, y: [1, 2]},
  data: line.sizes.map((size) => [size.mean * line.shift, size.low / unit, (size.high ?? -1) / unit]),
  renderItem: (params, api) => {
    const style = {stroke: line.colour, lineWidth: 1.5, fill: "none"};
    const [x, low] = api.coord([api.value(0), api.value(1)]);
    const [cap, tip] = [5, 16];
    const open = api.value(2) < 0;
    const high = open ? low - tip : api.coord([api.value(0), api.value(2)])[1];
    const end = open ? [{type: "polyline", shape: {points: [[x - cap, high + cap], [x, high], [x + cap, high + cap]]}, style}]
      : [{type: "line", shape: {x1: x - cap, y1: high, x2: x + cap, y2: high}, style}];
    return {type: "group", children: [{type: "line", shape: {x1: x, y1: low, x2: x, y2: high}, style},
      {type: "line", shape: {x1: x - cap, y1: low, x2: x + cap, y2: low}, style}, ...end]};
  }});

/** @type {(line: Line, unit: number) => ChartSeries[]} */
const seriesOf = (line, unit) => [
  intervals(line, unit),
  {name: line.name, type: "scatter", symbolSize: 8, itemStyle: {color: line.colour}, z: 4,
    data: line.sizes.map((size) => ({value: [size.mean * line.shift, (size.mttf ?? size.low) / unit], size, symbol: size.mttf === null ? "emptyCircle" : "circle"}))},
  {name: line.name, type: "line", silent: true, symbol: "none", tooltip: {show: false}, lineStyle: {color: line.colour, type: "dashed", width: 1.2},
    data: line.sizes.flatMap((size) => (size.projected === null ? [] : [[size.mean, size.projected / unit]]))},
];

/**
 * The unit of a time axis, which shows powers of ten of this unit.
 * @type {(longest: number) => [size: number, name: string]}
 */
const unitOf = (longest) => (longest >= 2 * 86400 ? [86400, "d"] : longest >= 7200 ? [3600, "h"] : [1, "s"]);

/**
 * The ends of an axis, as powers of a base.
 * @type {(values: number[], base: number) => {min: number; max: number}}
 */
function powers(values, base) {
  const log = (/** @type {number} */ v) => Math.log(v) / Math.log(base);
  return {min: base ** Math.floor(log(Math.min(...values)) - 0.2), max: base ** Math.ceil(log(Math.max(...values)) + 0.2)};
}

/** @type {FigureMaker<{runs: Run[]; names: string[]}>} */
export function mttfFigure({runs, names}) {
  const lines = runs.flatMap(({failures}, i) => {
    const sizes = (failures?.sizes ?? []).filter((size) => size.max > 0 && size.low > 0);
    return sizes.length > 0 ? [{name: names[i], colour: palette()[i % 7], sizes, shift: 1.07 ** (i - (runs.length - 1) / 2), of: failures?.sizeOf ?? "gpus"}] : [];
  });
  if (lines.length === 0) return null;
  const noun = lines[0].of === "pods" ? "pod" : "GPU";
  const all = lines.flatMap((line) => line.sizes);
  const times = all.flatMap((size) => [size.low, size.high, size.projected].filter((v) => v !== null));
  const [unit, unitName] = unitOf(Math.max(...times));
  return {
    id: "mttf",
    title: "Time between interruptions, by the size of jobs",
    height: 340,
    summary: lines.map((line) => `${line.name}: ` + line.sizes.map((size) => `${sizeText(size, noun)} ${timeText(size)}`).join(", ")).join("; ") +
      `. Mean while a job runs, with the 90 % interval. Dashed: 1 / (N r), as it would be if each of the N ${noun}s brought as many interruptions as in jobs of a whole server or more.`,
    columns: [{title: "run", class: "name"}, {title: `${noun}s`, number: true}, {title: "jobs", number: true}, {title: "interruptions", number: true}, {title: "running", number: true},
      {title: "between interruptions", number: true}, {title: "at least", number: true}, {title: "at most", number: true}, {title: "by size alone", number: true}],
    rows: () => lines.flatMap((line) => line.sizes.map((size) => [line.name, size.min === size.max ? number(size.max) : `${number(size.min)} to ${number(size.max)}`, number(size.jobs), number(size.interruptions), duration(size.running),
      ...[size.mttf, size.low, size.high, size.projected].map((v) => (v === null ? "–" : duration(v)))])),
    option: () => ({
      legend: legend({top: 0, left: 0, right: 0, data: lines.map((line) => line.name)}),
      grid: {outerBoundsMode: "none", left: 78, right: 24, top: 32, bottom: 48},
      tooltip: tooltip({trigger: "item", formatter: (/** @type {TipPoint<number[], {size: SizeFailures}>} */ p) => {
        const {size} = p.data;
        return `<b>${markup(p.seriesName)}: ${sizeText(size, noun)}</b><br>${timeText(size)}<br>${plural(size.interruptions, "interruption")} of ${plural(size.jobs, "job")}`;
      }}),
      xAxis: axis({type: "log", logBase: 2, ...powers(all.map((size) => size.mean), 2), name: `${noun}s of a job`, nameLocation: "middle", nameGap: 28,
        axisLabel: {formatter: (v) => (v < 1 ? "" : number(v))}}),
      yAxis: axis({type: "log", logBase: 10, ...powers(times.map((time) => time / unit), 10), axisLine: {show: false, onZero: false}, axisLabel: {formatter: (v) => `${number(v)} ${unitName}`}}),
      series: lines.flatMap((line) => seriesOf(line, unit)),
    }),
  };
}
