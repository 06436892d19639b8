/* Differences between two runs with their intervals: a row for each metric. */

import {markup, number, plural, quantity} from "../base/text.js";
import {colour} from "../base/theme.js";
import {axis, nameLabels, tooltip} from "../figures/look.js";
import {intervalText, ofChance, signed, verdictLook, verdictLooks} from "./verdicts.js";
/** @import {FigureMaker, NumberTip} from "../figures/figure.d.ts" */
/** @import {RunComparison} from "../data.d.ts" */

/**
 * Each row shows the difference and its interval, in standard deviations of the differences.
 * @type {FigureMaker<{comparison: RunComparison; names: string[]}>}
 */
export function forestFigure({comparison, names}) {
  const drawn = comparison.metrics.flatMap((m) => (m.sd !== null && m.sd > 0
    ? [{m, at: m.difference / m.sd, half: (m.ci95 ?? 0) / m.sd, look: verdictLook(m)}] : []));
  const shown = drawn.slice(0, 40);
  if (shown.length === 0) return null;
  const real = shown.filter(({m}) => verdictLooks[m.verdict]);
  return {
    id: "differences",
    title: `${names[comparison.place]} less ${names[0]}`,
    height: 74 + 24 * shown.length,
    summary: `${plural(real.length, "difference")} beyond chance` +
      (real.length > 0 ? `: ${real.slice(0, 6).map(({m}) => `${m.metric} ${signed(m)}, ${m.verdict}`).join("; ")}` : "") +
      (real.length > 6 ? "; and others." : "."),
    caption: "Differences in standard deviations of the pairs' differences, with 95% intervals, each of its metric alone. ▲ better, ▼ worse, " +
      "◆ higher or lower where neither is better, ○ no difference shown: the verdicts are corrected for the tests of their family, so that an interval " +
      "may leave out zero and show no difference." +
      (drawn.length > shown.length ? ` Drawn are the ${shown.length} largest of ${number(drawn.length)}; the table has all.` : ""),
    columns: [{title: "metric", class: "name"}, {title: "standardized difference", number: true}, {title: "from", number: true},
      {title: "to", number: true}, {title: "verdict"}],
    rows: () => shown.map(({m, at, half}) => [m.metric, ...[at, at - half, at + half].map((v) => v.toFixed(2)), m.verdict]),
    option: (width) => {
      const room = Math.min(width * 0.42, 14 + 7 * Math.max(...shown.map(({m}) => m.metric.length)));
      return {
        grid: {outerBoundsMode: "none", left: room, right: 24, top: 6, bottom: 46},
        tooltip: tooltip({trigger: "item", formatter: (/** @type {NumberTip} */ p) => {
          const {m} = shown[p.dataIndex];
          return `<b>${markup(m.metric)}</b><br>${quantity(m.metric, m.baseline)} → ${quantity(m.metric, m.run)}<br>difference ` +
            `${signed(m)}, from ${intervalText(m)}<br>p ${ofChance(m.p_holm)}: ${m.verdict}`;
        }}),
        xAxis: axis({type: "value", name: "difference in standard deviations", nameLocation: "middle", nameGap: 28}),
        yAxis: axis({type: "category", inverse: true, data: shown.map(({m}) => m.metric), axisLine: {show: false, onZero: false},
          splitLine: {show: false}, axisLabel: nameLabels(room - 12, {color: colour("ink")})}),
        series: [
          {type: "custom", encode: {x: [1, 2], y: 0}, data: shown.map(({at, half}, i) => [i, at - half, at + half]),
            renderItem: (params, api) => {
              const [x1, y] = api.coord([api.value(1), api.value(0)]);
              const [x2] = api.coord([api.value(2), api.value(0)]);
              return {type: "line", shape: {x1, y1: y, x2, y2: y},
                style: {stroke: colour(shown[params.dataIndex].look.colour), lineWidth: 2.5}};
            },
            markLine: {silent: true, symbol: "none", data: [{xAxis: 0}], label: {show: false},
              lineStyle: {color: colour("ink"), type: "solid", width: 1}}},
          {type: "scatter", data: shown.map(({at, look}, i) => ({value: [at, i], symbol: look.symbol,
            symbolRotate: look.rotate ?? 0, itemStyle: {color: colour(look.colour), opacity: 1}})), symbolSize: 11},
        ],
      };
    },
  };
}
