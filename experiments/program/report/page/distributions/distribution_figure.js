/* The distribution of one metric: its box above its histogram. */

import {withUnit} from "../base/definitions.js";
import {lastOf} from "../base/lists.js";
import {duration, isTime, markup, number, percent, plural, quantity} from "../base/text.js";
import {colour} from "../base/theme.js";
import {axis, tooltip} from "../figures/look.js";
import {timeTicks} from "../figures/time_axis.js";
import {boxColours, boxShapes} from "./box_shapes.js";
/** @import {Distribution} from "../data.d.ts" */
/** @import {FigureMaker, NumberTip} from "../figures/figure.d.ts" */

/**
 * The whole numbers at which the axis of a histogram has labels.
 * @param {Distribution} d
 */
function wholes(d) {
  const step = Math.max(1, Math.ceil(d.counts.length / 20));
  return d.counts.map((_, i) => d.from + i).filter((_, i) => i % step === 0);
}

/** @type {FigureMaker<{d: Distribution; title: string}>} */
export function distributionFigure({d, title}) {
  const edges = d.counts.map((_, i) => d.from + i * d.width - (d.whole ? 0.5 : 0));
  const low = edges[0];
  const high = lastOf(edges) + d.width;
  const [min, q1, median, q3, max] = d.box;
  // The pods and groups of a run depend on one another. Their mean, with its interval, is among the
  // metrics.
  const mean = d.mean == null ? "" : `mean ${quantity(d.name, d.mean, d.ci95)}`;
  const noun = d.of;
  const label = (/** @type {number} */ i) => (d.whole ? number(edges[i] + 0.5) : `${quantity(d.name, edges[i])} to ${quantity(d.name, edges[i] + d.width)}`);
  return {
    id: "distribution",
    title,
    height: 340,
    summary: `${plural(d.n, noun)}: ${mean && `${mean}${d.ci95 == null ? "" : " (95% confidence, over the replications)"}, `}` +
      `standard deviation ${quantity(d.name, d.sd)}, ` +
      `median ${quantity(d.name, median)}, half of them from ${quantity(d.name, q1)} to ${quantity(d.name, q3)}, ` +
      `95% up to ${quantity(d.name, d.p95)}, all from ${quantity(d.name, min)} to ${quantity(d.name, max)}.` +
      (d.goingOn > 0 ? ` ${plural(d.goingOn, noun)} had not ended and ${d.goingOn === 1 ? "is" : "are"} not among them.` : ""),
    columns: [{title: d.name}, {title: `${noun}s`, number: true}],
    rows: () => d.counts.map((count, i) => [label(i), number(count)]),
    option: () => ({
      grid: [{outerBoundsMode: "none", left: 52, right: 34, top: 4, height: 36}, {outerBoundsMode: "none", left: 52, right: 34, top: 66, bottom: 46}],
      tooltip: tooltip({trigger: "item", formatter: (/** @type {NumberTip} */ p) => p.seriesIndex === 0
        ? `${mean && `${mean}<br>`}median ${quantity(d.name, median)}<br>quartiles ${quantity(d.name, q1)}, ${quantity(d.name, q3)}<br>` +
          `range ${quantity(d.name, min)} to ${quantity(d.name, max)}`
        : `${markup(d.name)} ${label(p.dataIndex)}<br>${plural(d.counts[p.dataIndex], noun)} (${percent(d.counts[p.dataIndex] / d.n)})`}),
      xAxis: [
        {type: "value", gridIndex: 0, min: low, max: high, show: false},
        axis({type: "value", gridIndex: 1, min: low, max: high, name: withUnit(d.name), nameLocation: "middle", nameGap: 28,
          splitLine: {show: false},
          ...(isTime(d.name) ? timeTicks(1.5 * (high - low)) : {}),
          axisLabel: {formatter: (v) => (isTime(d.name) ? duration(v) : quantity(d.name, v)), ...(isTime(d.name) ? {alignMaxLabel: "right"} : {}), ...(d.whole ? {customValues: wholes(d)} : {})}}),
      ],
      yAxis: [
        {type: "value", gridIndex: 0, min: 0, max: 1, show: false},
        axis({type: "value", gridIndex: 1, minInterval: 1, axisLine: {show: false, onZero: false}, name: `${noun}s`,
          nameTextStyle: {align: "left", padding: [0, 0, 0, -46]}, nameGap: 10}),
      ],
      series: [
        {type: "custom", clip: true, xAxisIndex: 0, yAxisIndex: 0, data: [[median, 0.5]], encode: {x: 0, y: 1},
          renderItem: (params, api) => boxShapes(api, d, api.coord([median, 0.5])[1], 22, boxColours())},
        {type: "custom", xAxisIndex: 1, yAxisIndex: 1, encode: {x: 0, y: 1},
          data: d.counts.map((count, i) => [edges[i] + d.width / 2, count]),
          renderItem: (params, api) => {
            const [x0, y] = api.coord([api.value(0) - d.width / 2, api.value(1)]);
            const [x1, y0] = api.coord([api.value(0) + d.width / 2, 0]);
            const space = d.whole ? Math.min(8, (x1 - x0) * 0.18) : 1;
            const wide = Math.min(x1 - x0 - space, 90);
            return {type: "rect", shape: {x: (x0 + x1 - wide) / 2, y, width: wide, height: y0 - y},
              style: {fill: colour("bar")}};
          },
          ...(d.mean == null ? {} : {markLine: {silent: true, symbol: "none", data: [{xAxis: d.mean}],
            lineStyle: {color: colour("group"), type: "solid", width: 1.5},
            label: {formatter: `mean ${quantity(d.name, d.mean)}`, color: colour("group"), position: "end", distance: 2, fontSize: 12}}}),
          ...(d.ci95 == null || d.mean == null ? {} : {markArea: {silent: true, itemStyle: {color: colour("group"), opacity: 0.16},
            data: [[{xAxis: d.mean - d.ci95}, {xAxis: d.mean + d.ci95}]]}})},
      ],
    }),
  };
}
