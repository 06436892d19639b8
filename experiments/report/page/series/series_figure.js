/* Metrics over time. */

import {colour} from "../base/theme.js";

/** Columns that can share an axis: shares, ratios that pass 1, seconds, bytes, percent, and counts of all kinds. */
export function unitOf(name, values) {
  if (/(^|_)bytes(_|$)/.test(name)) return "bytes";
  if (/_s($|_)/.test(name)) return "seconds";
  if (/_pct($|_)/.test(name)) return "percent";
  let whole = true;
  let least = Infinity;
  let most = -Infinity;
  for (const value of values) {
    if (value == null) continue;
    whole = whole && Number.isInteger(value);
    least = Math.min(least, value);
    most = Math.max(most, value);
  }
  if (/share|utili[sz]ation|fraction|ratio|rate|index|factor|slowdown/.test(name)) return least >= 0 && most <= 1.0001 ? "share" : "ratio";
  return !whole && least >= 0 && most <= 1.0001 ? "share" : "number";
}

/** Which lines are drawn at first: what people pay for, and how many run and wait. The others are a click away. */
export function firstSeries(names, resource) {
  const wanted = names.filter((name) => name === `${resource}_utilization` || name === "pods_running" || name === "pods_waiting");
  return wanted.length > 0 ? wanted : names.slice(0, 4);
}

/** What lies outside of the measuring window is shaded, and told at its ends. */
export function windowMark(run, grid, last) {
  if (!run.window) return null;
  const {from} = run.window;
  const to = run.window.to ?? last;
  const areas = [[0, from], [to, last]].filter(([a, b]) => b > a).map(([a, b]) => [{xAxis: a}, {xAxis: b}]);
  return {type: "line", name: "not measured", silent: true, xAxisIndex: grid, yAxisIndex: grid, data: [], tooltip: {show: false},
    markArea: {silent: true, itemStyle: {color: colour("muted"), opacity: 0.14}, data: areas},
    markLine: {silent: true, symbol: "none", lineStyle: {color: colour("muted"), type: "solid", width: 1},
      label: {show: grid === 0, color: colour("muted"), fontSize: 12, position: "end", formatter: (p) => (p.value === from ? "measured from here" : "to here")},
      data: [from, to].filter((t) => t > 0 && t < last).map((t) => ({xAxis: t, label: {align: t === from ? "left" : "right"}}))}};
}

/** The shade between the least and the greatest value, as one closed shape that follows its line's legend. */
export function rangeSeries(band, c, grid, fill, name) {
  return [{
    name, type: "custom", silent: true, xAxisIndex: grid, yAxisIndex: grid, z: 1, clip: true,
    itemStyle: {color: fill}, tooltip: {show: false}, encode: {x: 0, y: 1},
    // Two corners, for the axis to reach that far; the first of them draws the shape.
    data: [Math.min, Math.max].map((far, i) => [band.time.at(-i),
      (i === 0 ? band.low : band.high)[c].reduce((a, b) => (b == null ? a : a == null ? b : far(a, b)), null)]),
    renderItem: (params, api) => {
      if (params.dataIndex > 0) return null;
      const up = [];
      const down = [];
      let before = null;
      band.time.forEach((t, i) => {
        if (band.low[c][i] == null) return;
        if (before != null) {
          up.push(api.coord([t, band.high[c][before]]));
          down.push(api.coord([t, band.low[c][before]]));
        }
        up.push(api.coord([t, band.high[c][i]]));
        down.push(api.coord([t, band.low[c][i]]));
        before = i;
      });
      return {type: "polygon", shape: {points: [...up, ...down.reverse()]}, style: {fill, opacity: 0.14}};
    },
  }];
}
