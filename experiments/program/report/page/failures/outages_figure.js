/* Racks over time: how much of each was out, and when jobs lost their places. */

import {duration, markup, number, percent1, plural, shortNames} from "../base/text.js";
import {colour} from "../base/theme.js";
import {unpackedNumbers} from "../base/unpack.js";
import {mixed} from "../figures/colours.js";
import {nameLabels, axis, legend, tooltip} from "../figures/look.js";
import {timeAxes} from "../figures/time_axis.js";
/** @import {OutageHit, OutageStrip, Run} from "../data.d.ts" */
/** @import {ChartSeries, FigureMaker, TipPoint} from "../figures/figure.d.ts" */

/** @typedef {[from: number, to: number, row: number, out: number]} Stretch */

/**
 * The periods in which a part of a row was out. Adjacent slices with the same part are joined.
 * @type {(strip: OutageStrip) => Stretch[]}
 */
function stretchesOf(strip) {
  const slice = strip.end / strip.slices;
  return strip.out.flatMap((packed, row) => {
    /** @type {Stretch[]} */
    const stretches = [];
    unpackedNumbers(packed, strip.slices).forEach((value, i) => {
      const out = Math.min(value ?? 0, 1);
      const last = stretches.at(-1);
      if (out < 5e-7) return;
      if (last && last[1] === i && last[3] === out) last[1] = i + 1;
      else stretches.push([i, i + 1, row, out]);
    });
    return stretches.map(([from, to, at, out]) => /** @type {Stretch} */ ([from * slice, to * slice, at, out]));
  });
}

/** @type {(out: number) => string} */
const shade = (out) => mixed(colour("busy-some"), colour("busy-full"), out);

/** @type {(stretches: Stretch[]) => ChartSeries} */
const outSeries = (stretches) => ({name: "servers out", type: "custom", clip: true, encode: {x: [0, 1], y: 2}, itemStyle: {color: shade(1)}, data: stretches,
  renderItem: (params, api) => {
    const [from, middle] = api.coord([api.value(0), api.value(2)]);
    const [to] = api.coord([api.value(1), api.value(2)]);
    const high = api.size([0, 1])[1] * 0.84;
    return {type: "rect", shape: {x: from, y: middle - high / 2, width: Math.max(1, to - from), height: high}, style: {fill: shade(api.value(3))}};
  }});

/** @type {(hit: OutageHit, level: string, rows: string[]) => string} */
const hitTip = ([row, from, to, component, cause, jobs], level, rows) => `<b>${markup(component)}</b>, ${markup(cause)}<br>${markup(level)} ${markup(rows[row])}<br>` +
  `${duration(from)} to ${to === null ? "the end" : duration(to)}<br>${plural(jobs, "job")} lost ${jobs === 1 ? "its" : "their"} places`;

/** @type {FigureMaker<{run: Run}>} */
export function outagesFigure({run}) {
  const strip = run.failures?.strip;
  if (!strip) return null;
  const stretches = stretchesOf(strip);
  const names = shortNames(strip.rows);
  const hit = [...new Set(strip.hits.map((one) => `${one[1]} ${one[3]}`))].length;
  const lost = new Map(strip.hits.map((one) => [`${one[1]} ${one[3]} ${one[4]}`, one[5]]));
  const {xAxis, dataZoom: [slider, inside]} = timeAxes(0, strip.end);
  const total = [...lost.values()].reduce((sum, jobs) => sum + jobs, 0);
  return {
    id: "outages",
    title: `Up and down, by ${strip.level}`,
    height: 96 + Math.max(40, 15 * strip.rows.length),
    renderer: stretches.length > 2000 ? "canvas" : "svg",
    summary: `Replication 0: ${plural(strip.outages, "outage")} in ${duration(strip.end)}, of which ${number(hit)} interrupted jobs, ${number(total)} times in all. ` +
      `The stronger the colour, the more of a ${strip.level}'s servers are out; a triangle is an outage that took places of jobs.` +
      (strip.leftOut > 0 ? ` ${plural(strip.leftOut, strip.level)} that were out less are left out.` : "") +
      (strip.hitsLeftOut > 0 ? ` ${number(strip.hitsLeftOut)} triangles are left out.` : ""),
    columns: [{title: strip.level, class: "name"}, {title: "from", number: true}, {title: "to", number: true}, {title: "component", class: "name"}, {title: "cause"}, {title: "jobs", number: true}],
    rows: () => strip.hits.map(([row, from, to, component, cause, jobs]) => [strip.rows[row], duration(from), to === null ? "–" : duration(to), component, cause, number(jobs)]),
    csv: {
      columns: [{title: strip.level}, {title: "from_s"}, {title: "to_s"}, {title: "out"}],
      rows: () => stretches.map(([from, to, row, out]) => [strip.rows[row], number(from), number(to), number(out)]),
    },
    option: (width) => ({
      legend: legend({top: 0, left: 0, data: ["servers out", {name: "jobs lost places", icon: "triangle"}]}),
      grid: {outerBoundsMode: "none", left: Math.min(width * 0.3, 18 + 7.4 * Math.max(...names.map((name) => name.length))), right: 30, top: 28, bottom: 58},
      tooltip: tooltip({trigger: "item", formatter: (/** @type {TipPoint<number[], unknown>} */ p) => {
        if (p.seriesName !== "servers out") return hitTip(strip.hits[p.dataIndex], strip.level, strip.rows);
        const [from, to, row, out] = p.value;
        return `<b>${markup(strip.level)} ${markup(strip.rows[row])}</b><br>${duration(from)} to ${duration(to)}<br>${percent1(out)} of its servers' time out`;
      }}),
      xAxis,
      dataZoom: [{...slider, showDataShadow: false}, inside],
      yAxis: axis({type: "category", inverse: true, data: names, splitLine: {show: false}, axisLabel: nameLabels(width * 0.28, {color: colour("ink")})}),
      series: [outSeries(stretches),
        {name: "jobs lost places", type: "scatter", symbol: "triangle", symbolSize: 9, z: 5,
          itemStyle: {color: colour("group"), borderColor: colour("paper"), borderWidth: 1},
          data: strip.hits.map(([row, from]) => [from, row])}],
    }),
  };
}
