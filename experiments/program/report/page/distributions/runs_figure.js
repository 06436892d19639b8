/* One metric in all runs. */

import {withUnit} from "../base/definitions.js";
import {duration, isTime, markup, number, quantity} from "../base/text.js";
import {colour, fontFamily} from "../base/theme.js";
import {axis, nameLabels, tooltip} from "../figures/look.js";
import {timeTicks} from "../figures/time_axis.js";
import {boxColours, boxShapes} from "./box_shapes.js";
/** @import {Distribution, Metric, Value} from "../data.d.ts" */
/** @import {FigureMaker, NumberTip} from "../figures/figure.d.ts" */

/** @typedef {{label: string; metric: Metric & {mean: number}; box: Distribution | undefined}} RunRow */

/**
 * A row for each run: its box if it has replications, otherwise its mean and interval.
 * @type {FigureMaker<{name: string; rows: RunRow[]}>}
 */
export function runsFigure({name, rows}) {
  /** @type {(row: RunRow) => {box: number[]; mean: Value; ci95: Value}} */
  const describe = (row) => row.box ?? {mean: row.metric.mean, ci95: row.metric.ci95,
    box: [row.metric.min, row.metric.mean, row.metric.mean, row.metric.mean, row.metric.max].map((v) => v ?? row.metric.mean)};
  const boxes = rows.map((row) => describe(row).box);
  const mean = (/** @type {Metric} */ m) => quantity(name, m.mean, m.ci95);
  return {
    id: "compare",
    title: name,
    height: 64 + 44 * rows.length,
    summary: rows.map((row) => `${row.label}: ${mean(row.metric)}`).join("; ") + ".",
    columns: [{title: "run", class: "name"}, {title: "mean ± 95%", number: true}, {title: "sd", number: true},
      {title: "min", number: true}, {title: "max", number: true}, {title: "n", number: true}],
    rows: () => rows.map(({label, metric: m}) => [label, mean(m), quantity(name, m.sd), quantity(name, m.min),
      quantity(name, m.max), number(m.n)]),
    option: (width) => ({
      grid: {outerBoundsMode: "none", left: Math.min(width * 0.34, 12 + 7.4 * Math.max(...rows.map((r) => r.label.length))), right: 46, top: 10, bottom: 44},
      tooltip: tooltip({trigger: "item", formatter: (/** @type {NumberTip} */ p) => {
        const row = rows[p.dataIndex];
        return `<b>${markup(row.label)}</b><br>mean ${mean(row.metric)}<br>range ${quantity(name, row.metric.min)} to ` +
          `${quantity(name, row.metric.max)}<br>n = ${number(row.metric.n)}`;
      }}),
      xAxis: axis({type: "value", scale: true, name: withUnit(name), nameLocation: "middle", nameGap: 28,
        ...(isTime(name) ? timeTicks(900 / width * 1.5 * (Math.max(...boxes.map((box) => box[4])) - Math.min(...boxes.map((box) => box[0])))) : {}),
        axisLabel: {formatter: (v) => (isTime(name) ? duration(v) : quantity(name, v))}}),
      yAxis: axis({type: "category", inverse: true, data: rows.map((r) => r.label), axisLine: {show: false},
        splitLine: {show: false}, axisLabel: nameLabels(width * 0.32, {color: colour("ink")})}),
      series: [{type: "custom", encode: {x: [1, 2, 3], y: 0},
        data: rows.map((row, i) => [i, describe(row).mean, describe(row).box[0], describe(row).box[4]]),
        renderItem: (params, api) => {
          const row = rows[params.dataIndex];
          const [x, y] = api.coord([row.metric.mean, params.dataIndex]);
          const text = {type: "text", x, y: y - 12, style: {text: mean(row.metric), fill: colour("ink"), align: "center", verticalAlign: "bottom",
            font: `12px ${fontFamily()}`}};
          const box = boxShapes({coord: ([v]) => api.coord([v, params.dataIndex])}, describe(row), y, 18, boxColours());
          return {...box, children: [...box.children ?? [], text]};
        }}],
    }),
  };
}
