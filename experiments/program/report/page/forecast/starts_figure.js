/* When waiting jobs start: a fan for each, with the chances of 10, 25, 50, 75 and 90 %. */

import {duration, markup, number, plural} from "../base/text.js";
import {colour} from "../base/theme.js";
import {axis, legend, tooltip} from "../figures/look.js";
import {timeTicks} from "../figures/time_axis.js";
/** @import {FigureMaker, TipPoint} from "../figures/figure.d.ts" */
/** @import {StartQuantiles, Value} from "../data.d.ts" */

const shown = 40;  // so many rows fit on a screen or two
const chances = /** @type {const} */ (["p10", "p25", "p50", "p75", "p90"]);
const parts = [
  {name: "10 to 90 %", from: /** @type {const} */ ("p10"), to: /** @type {const} */ ("p25"), opacity: 0.35},
  {name: "25 to 75 %", from: /** @type {const} */ ("p25"), to: /** @type {const} */ ("p75"), opacity: 0.8},
  {name: "10 to 90 %", from: /** @type {const} */ ("p75"), to: /** @type {const} */ ("p90"), opacity: 0.35},
];

/** A start beyond the horizon of the forecast has no time. */
const startText = (/** @type {Value} */ start) => (start === null ? "later" : duration(start));

/** @type {(name: string, most: number) => string} */
const shortened = (name, most) => (name.length > most ? `${name.slice(0, most - 1)}…` : name);

/** @type {FigureMaker<{id: string; noun: string; rows: {name: string; start: StartQuantiles}[]}>} */
export function startsFigure({id, noun, rows: all}) {
  if (all.length === 0) return null;
  const rows = all.slice(0, shown);
  const latest = Math.max(1, ...rows.flatMap(({start}) => chances.map((chance) => start[chance] ?? 0)));
  const at = (/** @type {Value} */ start) => start ?? 1.05 * latest;
  const soon = all.filter(({start}) => start.p90 !== null && start.p90 <= 3600).length;
  return {
    id,
    height: 74 + 24 * rows.length,
    summary: (all.length > shown ? `The first ${shown} of ${plural(all.length, noun)}. ` : "") +
      (noun === "job" && all.length > 1 ? `${number(soon)} of ${plural(all.length, noun)} ${soon === 1 ? "starts" : "start"} within an hour with a chance of 90 %. ` : "") +
      "The mark is the time by which the start is as likely as not.",
    columns: [{title: noun, class: "name"}, ...["10 %", "25 %", "50 %", "75 %", "90 %"].map((title) => ({title, number: true}))],
    rows: () => all.map(({name, start}) => [name, ...chances.map((chance) => startText(start[chance]))]),
    option: (width) => {
      const left = Math.min(0.35 * width, 20 + 7.2 * Math.max(...rows.map((row) => row.name.length)));
      return {
        legend: legend({top: 0, left: 0, data: ["10 to 90 %", "25 to 75 %", "50 %"]}),
        grid: {outerBoundsMode: "none", left, right: 24, top: 34, bottom: 40},
        tooltip: tooltip({trigger: "axis", axisPointer: {type: "shadow", shadowStyle: {color: colour("muted"), opacity: 0.12}},
          formatter: (/** @type {TipPoint<Value, unknown>[]} */ list) => {
            const {name, start} = rows[list[0].dataIndex];
            return `<b>${markup(name)}</b><table class="tip">` + chances.map((chance) =>
              `<tr><td>${chance.slice(1)} %</td><td class="number">${startText(start[chance])}</td></tr>`).join("") + "</table>";
          }}),
        xAxis: axis({type: "value", min: 0, max: 1.05 * latest, name: "from now", nameLocation: "middle", nameGap: 26,
          axisLabel: {formatter: (v) => duration(v), showMaxLabel: false}, ...timeTicks(latest * Math.max(1, 900 / width))}),
        yAxis: axis({type: "category", inverse: true, data: rows.map((_, i) => i), splitLine: {show: false},
          axisLabel: {interval: 0, formatter: (i) => shortened(rows[Number(i)].name, Math.floor((left - 12) / 7))}}),
        series: [
          {type: "bar", stack: "start", silent: true, itemStyle: {color: "transparent"}, data: rows.map(({start}) => at(start.p10))},
          ...parts.map(({name, from, to, opacity}) => ({name, type: "bar", stack: "start", barWidth: 12,
            itemStyle: {color: colour("series-1"), opacity}, data: rows.map(({start}) => at(start[to]) - at(start[from]))})),
          {name: "50 %", type: "scatter", symbol: "rect", symbolSize: [3, 18], itemStyle: {color: colour("ink")},
            data: rows.map(({start}, i) => (start.p50 === null ? null : [start.p50, i]))},
        ],
      };
    },
  };
}
